import { type Static, Type } from 'typebox'
import { described, FreeFormObject, Uuid } from './fields.ts'

/** Bodies of the evolution service. The console forwards their bytes and does not interpret their fields. */

export const EvolutionAgentId = Type.Object({
  agent_id: described(Uuid, 'Id of the agent, a UUID. The agent need not exist in the console.'),
})
export type EvolutionAgentId = Static<typeof EvolutionAgentId>

export const EvolutionStatus = Type.Unsafe<Record<string, unknown>>({
  ...FreeFormObject,
  $id: 'EvolutionStatus',
  description: 'The evolution proposal status of an agent. The evolution service defines its fields.',
  examples: [{ agent_id: '01940b5e-7f4c-7a3b-9c1d-2e3f4a5b6c7d', state: 'idle', proposals: [] }],
})

export const Genome = Type.Unsafe<Record<string, unknown>>({
  ...FreeFormObject,
  $id: 'Genome',
  description:
    'A genome: the description from which the evolution service evolves agents. The evolution service defines its fields.',
  examples: [{ name: 'polite-negotiator', traits: { temperature: 0.4 } }],
})
