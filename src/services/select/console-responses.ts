import type { ProblemCode } from '../../contract/problem-codes.ts'
import { problemResponses } from '../../contract/responses.ts'
import { isNode, type Node, nodeAt, pointerTo } from '../document/tree.ts'
import type { SelectedOperation } from './operations.ts'

/** The errors that the console itself returns for a mounted operation. */
const CODES: ProblemCode[] = [
  ...([
    'bad_request',
    'unauthenticated',
    'invalid_token',
    'permission_missing',
    'team_missing',
    'team_ambiguous',
  ] as const),
  ...(['team_not_yours', 'user_missing'] as const),
  ...(['not_found', 'request_timeout', 'body_too_large', 'too_many_requests'] as const),
  ...(['request_budget_exceeded', 'internal'] as const),
  ...(['upstream_failed', 'token_exchange_failed', 'issuer_unavailable', 'overloaded'] as const),
  ...(['token_exchange_unavailable', 'upstream_unavailable', 'upstream_timeout'] as const),
]

const PREFIX = pointerTo('components', 'responses', 'Console')

/** `components.responses` of the combined document: `Console401`, `Console503` and the others. */
export function consoleResponses(): Node {
  const toHeader = ([name, { description, ...schema }]: [string, Node]) => [name, { description, schema }]
  return Object.fromEntries(
    Object.entries(problemResponses(...CODES)).map(([status, { description, headers, content }]) => {
      const { examples } = nodeAt(content, 'application/json')
      const body = { schema: { $ref: pointerTo('components', 'schemas', 'Problem') }, examples }
      const declared = Object.fromEntries(Object.entries(headers).map(toHeader))
      return [`Console${status}`, { description, headers: declared, content: { 'application/json': body } }]
    }),
  )
}

/** Declares the responses of the console that the operations may get and do not declare themselves. */
export function addConsoleResponses(operations: readonly SelectedOperation[]): void {
  for (const { declared, node } of operations) {
    const responses = nodeAt(node, 'responses')
    const isDeclared = (...keys: string[]) => keys.some((key) => Object.hasOwn(responses, key))
    // Many services declare their own 404 under `4XX` or `default`.
    const mayMiss = declared.path.includes('{') && !isDeclared('4XX', 'default')
    const ofBody = isNode(node['requestBody']) ? ['408', '413'] : []
    // A path has a parameter once.
    const mayRepeat = declared.agent && declared.agent.in !== 'path'
    const ofAgent = mayRepeat ? ['400'] : []
    const added = [
      ...ofAgent,
      '401',
      '403',
      ...(mayMiss ? ['404'] : []),
      ...ofBody,
      '429',
      '500',
      '502',
      '503',
      '504',
    ]
      .filter((status) => !isDeclared(status))
      .map((status) => [status, { $ref: `${PREFIX}${status}` }])
    node['responses'] = { ...Object.fromEntries(added), ...responses }
  }
}

/** Whether a response was added by the console. */
export function isConsoleResponse(response: unknown): boolean {
  return isNode(response) && String(response['$ref']).startsWith(PREFIX)
}
