import { PROBLEMS, type ProblemCode } from '../../contract/problem-codes.ts'
import { isNode, type Node, nodeAt, pointerTo } from '../document/tree.ts'
import type { SelectedOperation } from './operations.ts'

/** The errors that the console itself returns for a mounted operation. */
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

const PREFIX = pointerTo('components', 'responses', 'Console')

/** `components.responses` of the combined document: `Console401`, `Console503` and the others. */
export function consoleResponses(): Node {
  const statuses = [...BY_STATUS.keys()].toSorted()
  return Object.fromEntries(statuses.map((status) => [`Console${status}`, describe(status)]))
}

function describe(status: string): Node {
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

/** Declares the responses of the console that the operations may get and do not declare themselves. */
export function addConsoleResponses(
  operations: readonly SelectedOperation[],
  maxRequestBytes: number | undefined,
): void {
  for (const { declared, node } of operations) {
    const responses = nodeAt(node, 'responses')
    const isDeclared = (...keys: string[]) => keys.some((key) => Object.hasOwn(responses, key))
    // Many services declare their own 404 under `4XX` or `default`.
    const mayMiss = declared.path.includes('{') && !isDeclared('4XX', 'default')
    const isLimited = maxRequestBytes !== undefined && isNode(node['requestBody'])
    const added = ['401', mayMiss && '404', isLimited && '413', '500', '502', '503', '504']
      .filter((status) => status !== false && !isDeclared(status))
      .map((status) => [status, { $ref: `${PREFIX}${status}` }])
    node['responses'] = { ...Object.fromEntries(added), ...responses }
  }
}

/** Whether a response was added by the console. */
export function isConsoleResponse(response: unknown): boolean {
  return isNode(response) && typeof response['$ref'] === 'string' && response['$ref'].startsWith(PREFIX)
}

function header(description: string): Node {
  return { description, schema: { type: 'string' } }
}
