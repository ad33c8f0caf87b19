import { type ApiError, apiError, ConnectionFailed } from '../errors.ts'

export interface Reply<Data> {
  data: Data
  status: number
  headers: Headers
  /** Id of the request in the log and the audit log of the console. */
  requestId: string
}

/** JSON is parsed; text, also of several JSON texts, is a string; everything else is a Blob. */
export async function readReply<Data>(response: Response, requestId: string): Promise<Reply<Data>> {
  const { status, headers } = response
  const type = headers.get('content-type') ?? 'text/plain'
  const body = /^text|json/i.test(type) ? await response.text() : await response.blob()
  const isJson = /[/+]json\b/i.test(type)
  const data = isJson ? parse(body as string) : body || undefined
  // Without a length, a response that breaks off looks complete.
  if (isJson && data === undefined) throw new ConnectionFailed('The response broke off', requestId)
  return { data: data as Data, status, headers, requestId: headers.get('x-request-id') ?? requestId }
}

export async function responseError(
  response: Response,
  request: string,
  requestId: string,
): Promise<ApiError> {
  const { status, headers } = response
  const text = await response.text()
  return apiError({
    request,
    status,
    requestId: headers.get('x-request-id') ?? requestId,
    retryAfterMs: retryAfterMs(headers.get('retry-after')),
    // A proxy answers with a page.
    body: parse(text) ?? text,
  })
}

/** Undefined if it is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Seconds or a date. */
function retryAfterMs(header: string | null): number | undefined {
  const ms = /^\d+$/.test(header ?? '') ? Number(header) * 1000 : Date.parse(header ?? '') - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
