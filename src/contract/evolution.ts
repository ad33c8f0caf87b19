import { type Static, Type } from 'typebox'
import { described, FreeFormObject, ref, Uuid } from './fields.ts'
import { ProblemBody } from './problem.ts'
import type { ProblemCode } from './problem-codes.ts'
import { jsonResponse, problemResponses, responseHeaders, validationResponse } from './responses.ts'

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

export const EvolutionError = Type.Unsafe<unknown>({
  $id: 'EvolutionError',
  description:
    'The body of a 4xx response of the evolution service: any JSON. The evolution service defines it.',
})

/** The errors of the console, and the 4xx responses of the evolution service. A status that both send has the body of
 * either. */
export function forwardedErrors(...codes: ProblemCode[]) {
  const own = problemResponses(...codes)
  const either = Type.Unsafe({ anyOf: [ref(ProblemBody), ref(EvolutionError)] })
  const shared = Object.entries(own).filter(([status]) => status.startsWith('4'))
  return {
    ...own,
    ...Object.fromEntries(
      shared.map(([status, { description, headers, content }]) => [
        status,
        {
          description: `${description} The evolution service may also return ${status}, with its own body.`,
          headers,
          content: { 'application/json': { ...content['application/json'], schema: either } },
        },
      ]),
    ),
    422: validationResponse,
    '4xx': jsonResponse(
      'Any other 4xx response of the evolution service, with its own status and body.',
      ref(EvolutionError),
      {
        headers: responseHeaders('retry-after'),
        examples: {
          limited: {
            summary: 'A 429 of the evolution service',
            value: { detail: 'Too many requests for this team.' },
          },
        },
      },
    ),
  }
}
