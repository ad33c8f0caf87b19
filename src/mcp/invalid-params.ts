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

/** The SDK reports parameters that do not match the schema of their method as an internal error whose message is a list of issues
 * in JSON. It is the client that has to change something: returns the text with the code and a sentence that say so. */
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
