import { type ApiError, apiError, ConnectionFailed } from '../errors.ts'

export interface Reply<Data> {
  data: Data
  status: number
  headers: Headers
  /** Id of the request in the log and the audit log of the console. */
  requestId: string
}

/** The parsed body; text if it is not JSON; undefined if there is none. */
export async function readReply<Data>(response: Response, requestId: string): Promise<Reply<Data>> {
  const text = await response.text()
  return {
    data: (isJson(response) ? parse(text, requestId) : text || undefined) as Data,
    status: response.status,
    headers: response.headers,
    requestId: response.headers.get('x-request-id') ?? requestId,
  }
}

/** Without a length, a response that breaks off looks complete. */
function parse(text: string, requestId: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ConnectionFailed('The response broke off', requestId)
  }
}

export async function responseError(
  response: Response,
  request: string,
  requestId: string,
): Promise<ApiError> {
  const text = await response.text()
  let body: unknown = text
  try {
    body = JSON.parse(text)
  } catch {
    // A proxy answered with a page, or the body broke off: the status says enough.
  }
  return apiError({
    request,
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? requestId,
    retryAfterMs: retryAfterMs(response.headers.get('retry-after')),
    body,
  })
}

function isJson({ headers }: Response): boolean {
  return /^application\/(.+\+)?json\b/i.test(headers.get('content-type') ?? '')
}

/** Seconds or a date. */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null || header.trim() === '') return undefined
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
