import { PROBLEMS, type ProblemCode } from '../../contract/problem-codes.ts'
import type { Node } from './tree.ts'

/** What the console itself may answer in front of a service's operation. */
const CODES: ProblemCode[] = [
  'unauthenticated',
  'invalid_token',
  'not_found',
  'body_too_large',
  'internal',
  'upstream_failed',
  'issuer_unavailable',
  'upstream_unavailable',
  'upstream_timeout',
]

const BY_STATUS = Map.groupBy(CODES, (code) => String(PROBLEMS[code].status))

const HEADERS: Record<string, Node> = {
  401: { 'www-authenticate': header('The scheme to authenticate with') },
  503: { 'retry-after': header('Seconds after which to try again') },
}

/** Named so that a reader of the document sees whose answers they are. */
export const consoleAnswerName = (status: string) => `Console${status}`

/** The answers, as `components.responses` of the combined document. */
export function consoleAnswers(statuses: Iterable<string>): Node {
  return Object.fromEntries(
    [...statuses].toSorted().map((status) => [consoleAnswerName(status), consoleAnswer(status)]),
  )
}

function consoleAnswer(status: string): Node {
  const codes = BY_STATUS.get(status) ?? []
  return {
    description: codes.map((code) => PROBLEMS[code].detail).join(' / '),
    ...(HEADERS[status] ? { headers: HEADERS[status] } : {}),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(
          codes.map((code) => [code, { summary: code, value: { detail: PROBLEMS[code].detail, code } }]),
        ),
      },
    },
  }
}

/** Which of them an operation may get, and does not declare. A path that names nothing here is a 404, which most
 * services answer too: a word of theirs about it counts for more. */
export function consoleStatuses(path: string, isCapped: boolean, declared: Node): string[] {
  const isDeclared = (...keys: string[]) => keys.some((key) => Object.hasOwn(declared, key))
  const mayMiss = path.includes('{') && !isDeclared('4XX', 'default')
  const all = ['401', ...(mayMiss ? ['404'] : []), ...(isCapped ? ['413'] : []), '500', '502', '503', '504']
  return all.filter((status) => !isDeclared(status))
}

function header(description: string): Node {
  return { description, schema: { type: 'string' } }
}
