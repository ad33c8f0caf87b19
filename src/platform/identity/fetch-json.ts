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
  return { json: parse(url, body.toString()), etag }
}

/** An error names the URL, and quotes nothing of the text. */
function parse(url: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${url} returned a text that is not JSON`)
  }
}
