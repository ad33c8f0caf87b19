import { type Static, Type } from 'typebox'
import { FreeFormObject, Uuid } from './fields.ts'

/** What passes between a caller and the evolution service. Its members are the evolution service's business:
 * the console hands the bytes through. */

export const EvolutionAgentId = Type.Object({ agent_id: Uuid })
export type EvolutionAgentId = Static<typeof EvolutionAgentId>

export const EvolutionStatus = Type.Unsafe<Record<string, unknown>>({
  ...FreeFormObject,
  $id: 'EvolutionStatus',
  description: 'The evolution proposal status of an agent, as the evolution service tells it',
  examples: [{ agent_id: '01940b5e-7f4c-7a3b-9c1d-2e3f4a5b6c7d', state: 'idle', proposals: [] }],
})

export const Genome = Type.Unsafe<Record<string, unknown>>({
  ...FreeFormObject,
  $id: 'Genome',
  description: 'A genome, as the evolution service understands it',
  examples: [{ name: 'polite-negotiator', traits: { temperature: 0.4 } }],
})
