import { type Static, Type } from 'typebox'
import { described, FreeFormObject, ref, Uuid } from '../../api/fields.ts'
import { jsonResponse, problemResponses, responseHeaders, validationResponse } from '../../api/operation.ts'
import { ProblemBody, type ValidationError } from '../../api/problem.ts'
import type { ProblemCode } from '../../api/problem-codes.ts'

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
    'A genome: the description from which the evolution service evolves agents. The evolution service defines its ' +
    'fields.',
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

/** A 4xx of the evolution service, in the form in which the console declares it. */

/** Other services put the sentence for readers into one of these. */
const TEXT_MEMBERS = ['detail', 'message', 'error', 'title']
const MAX_TEXT_LENGTH = 2_000

/** The body of a 422: its own text if it is an HTTPValidationError, else one with a single error. */
export function toValidationErrorText(json: string, loc: ValidationError['loc']): string {
  const value = JSON.parse(json) as unknown
  const { detail } = Object(value) as { detail?: unknown }
  if (Array.isArray(detail) && detail.every(isValidationError)) return json
  const msg = readableText(value, json).slice(0, MAX_TEXT_LENGTH).toWellFormed()
  return JSON.stringify({ detail: [{ loc, msg, type: 'upstream' }] })
}

function isValidationError(item: unknown): boolean {
  const { loc, msg, type } = Object(item) as Record<string, unknown>
  const isLoc = Array.isArray(loc) && loc.every((part) => typeof part === 'string' || Number.isInteger(part))
  return isLoc && typeof msg === 'string' && typeof type === 'string'
}

function readableText(value: unknown, json: string): string {
  if (typeof value === 'string') return value
  const members = Object(value) as Record<string, unknown>
  const texts = TEXT_MEMBERS.map((name) => members[name])
  return (texts.find((text) => typeof text === 'string' && text !== '') as string | undefined) ?? json
}
