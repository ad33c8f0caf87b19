import { type ConfiguredOptions, sendToConfigured } from '../outbound/configured.ts'

interface FetchedJson {
  /** Undefined for 304. */
  json: unknown
  etag: string | null
}

/** Reads a JSON document of limited size. Every status but 200 and 304 is an error. */
export async function fetchJson(url: string, options: ConfiguredOptions): Promise<FetchedJson> {
  const { status, headers, body } = await sendToConfigured(url, options)
  const etag = headers.get('etag')
  if (status === 304) return { json: undefined, etag }
  if (status !== 200) throw new Error(`${url} returned status ${status}`)
  if (!body) throw new Error(`${url} returned more than ${options.maxBytes} bytes`)
  return { json: JSON.parse(body.toString()), etag }
}
