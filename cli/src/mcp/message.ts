/** What the bridge reads of a JSON-RPC message. The console gets the text as it came. */
export interface Message {
  text: string
  /** Undefined: a notification, or the answer to a request of the server. Neither gets a response. */
  id: Id | undefined
  method: string
  params: Record<string, unknown>
}

export type Id = string | number

/** Undefined if the text is no message. */
export function readMessage(text: string): Message | undefined {
  const { jsonrpc, id, method, params } = asObject(parse(text))
  if (jsonrpc !== '2.0') return undefined
  const isRequest = typeof method === 'string' && (typeof id === 'string' || typeof id === 'number')
  return {
    text,
    id: isRequest ? id : undefined,
    method: typeof method === 'string' ? method : '',
    params: asObject(params),
  }
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

/** The parameter that the header `mcp-name` repeats. */
const NAMES: Record<string, string> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
}

/**
 * The headers of the protocol. A message of revision 2026-07-28 names its revision, and HTTP repeats parts of it; in older
 * revisions the handshake has agreed on one.
 */
export function headersOf({ method, params }: Message, agreed: string | undefined): Record<string, string> {
  const version = asObject(params['_meta'])[VERSION_KEY]
  if (typeof version !== 'string') {
    return agreed === undefined || method === 'initialize' ? {} : { 'mcp-protocol-version': agreed }
  }
  const name = params[NAMES[method] ?? '']
  return {
    'mcp-protocol-version': encodeHeader(version),
    'mcp-method': encodeHeader(method),
    ...(typeof name === 'string' && { 'mcp-name': encodeHeader(name) }),
  }
}

/** As the protocol encodes what a header cannot hold. */
function encodeHeader(value: string): string {
  const isPlain =
    /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value)
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`
}

export function errorMessage(id: Id | null, code: number, message: string, data?: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } })
}

/** Undefined if it is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function asObject(value: unknown): Record<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Record<string, unknown>) : {}
}
