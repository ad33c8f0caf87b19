import type { CallToolResult } from '@modelcontextprotocol/server'
import { PermissionMissing, Problem, RequestValidationError } from '../../api/problem.ts'
import type { ProblemCode } from '../../api/problem-codes.ts'
import type { Call } from './call.ts'

/** Codes of JSON-RPC 2.0. */
const INVALID_PARAMS = -32_602
const INTERNAL_ERROR = -32_603

interface Issue {
  path: (string | number)[]
  message: string
}

interface RpcError {
  error?: { code?: unknown; message?: unknown }
}

/** A message as JSON, or as the one event of a stream. */
const MESSAGE = /^(event: message\ndata: )?(\{.*\})(\n\n)?$/s

/** The SDK reports parameters that do not match the schema of their method as an internal error whose message is a
 * list of issues in JSON. It is the client that has to change something: returns the text with the code and a sentence
 * that say so. */
export function reportInvalidParams(text: string): string {
  if (!text.includes(`"code":${INTERNAL_ERROR}`)) return text
  const [, start = '', json = '', end = ''] = MESSAGE.exec(text) ?? []
  const message = parse(json) as RpcError | undefined
  const issues = readIssues(message?.error)
  if (!issues) return text
  const faults = issues.map(({ path, message: rule }) => `${path.join('.')}: ${rule}`).join('; ')
  const error = { code: INVALID_PARAMS, message: `The parameters are not valid. ${faults}.` }
  return start + JSON.stringify({ ...message, error }) + end
}

/** Undefined if the error is another one. */
function readIssues({ code, message }: NonNullable<RpcError['error']> = {}): Issue[] | undefined {
  if (code !== INTERNAL_ERROR) return undefined
  const issues = parse(String(message))
  return Array.isArray(issues) && issues.every(isIssue) ? issues : undefined
}

function isIssue(value: unknown): value is Issue {
  const { path, message } = (value ?? {}) as Partial<Record<keyof Issue, unknown>>
  return Array.isArray(path) && typeof message === 'string'
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Where the sentence of the API names a header, which a tool does not have. */
const OWN_SENTENCES: Partial<Record<ProblemCode, string>> = {
  revision_stale:
    'The agent is not at the revision in the arguments. Nothing was changed. Read the agent again with get_agent, ' +
    'then repeat the change with its revision.',
  idempotency_conflict:
    'This idempotency_key was already used with other values. Use a new key for another agent.',
  idempotency_agent_deleted:
    'The agent that was created with this idempotency_key has been deleted. Use a new key to create another one.',
  outcome_unknown:
    'The database connection was lost while the change was being saved. Read the agent to find out whether it was ' +
    'saved; a repeated creation with the same idempotency_key returns the first agent.',
  too_many_requests:
    'Your team already has its share of requests in progress. Nothing was changed. Wait a second, then try again.',
  internal: 'The console failed to process the request. Its log has the reason under the id of the request.',
}

const NEEDS_SECRET_PERMISSION =
  'This change would send a stored secret to another server. No tool may do that: make the change through the API ' +
  'or the browser console, with the secret or with the permission agent:secret.'

const MAX_ERRORS = 10

/** Says what is wrong, for the model and its user. It contains no value of the arguments, which may be a secret. */
export function toSentence(error: unknown): string {
  if (error instanceof RequestValidationError) {
    const shown = error.errors
      .slice(0, MAX_ERRORS)
      .map(({ loc, msg }) => `${loc.slice(1).map(showName).join('.') || 'arguments'}: ${msg}`)
    const more = error.errors.length - shown.length
    return `The arguments are not valid. ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`
  }
  if (error instanceof PermissionMissing && error.permission === 'agent:secret')
    return NEEDS_SECRET_PERMISSION
  const problem = error instanceof Problem ? error : new Problem('internal')
  return OWN_SENTENCES[problem.code] ?? problem.message
}

/** A name that was made up may be a secret. */
const showName = (name: string | number) => (/^\w{1,64}$/.test(String(name)) ? name : '(unknown name)')

/** Without structured content: clients compare that with the output schema, and would hide the error. */
export function toErrorResult(error: unknown, { caller, log }: Call): CallToolResult {
  const isExpected =
    error instanceof RequestValidationError || (error instanceof Problem && error.status < 500)
  if (!isExpected) log.error({ err: error }, 'a tool failed')
  const code = error instanceof Problem ? error.code : isExpected ? 'validation_error' : 'internal'
  return errorResult(`${toSentence(error)} (${code})`, caller.requestId)
}

export function errorResult(sentence: string, requestId: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: `${sentence} Request id: ${requestId}` }] }
}
