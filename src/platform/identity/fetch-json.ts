import { readBody } from '../bounded-body.ts'

interface FetchOptions {
  timeoutMs: number
  maxBytes: number
  headers?: Record<string, string>
}

interface FetchedJson {
  /** Undefined for 304. */
  json: unknown
  etag: string | null
}

/** Reads a JSON document of limited size. A redirect is an error, and so is every status but 200 and 304. */
export async function fetchJson(
  url: string,
  { timeoutMs, maxBytes, headers = {} }: FetchOptions,
): Promise<FetchedJson> {
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await fetch(url, { redirect: 'error', signal, headers })
  const etag = response.headers.get('etag')
  if (response.status === 304) return { json: undefined, etag }
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`${url} returned status ${response.status}`)
  }
  const body = await readBody(response, maxBytes)
  if (!body) throw new Error(`${url} returned more than ${maxBytes} bytes`)
  return { json: JSON.parse(body.toString()), etag }
}
