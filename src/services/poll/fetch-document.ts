import { readBody } from '../../platform/bounded-body.ts'
import { MAX_BYTES } from '../read/read.ts'

/** Why a document cannot be fetched, in a sentence. */
export class DocumentUnreachable extends Error {
  override readonly name = 'DocumentUnreachable'
}

/** The document and its entity tag; undefined if the document still has this tag. */
export async function fetchDocument(
  url: string,
  etag: string | undefined,
  deadlineMs: number,
  closing: AbortSignal,
): Promise<{ bytes: Uint8Array; etag: string | undefined } | undefined> {
  try {
    const response = await fetch(url, {
      // A redirect would lead to a URL that the services file does not name.
      redirect: 'error',
      signal: AbortSignal.any([closing, AbortSignal.timeout(deadlineMs)]),
      headers: {
        accept: 'application/json, application/yaml;q=0.9, */*;q=0.5',
        'user-agent': 'agent-console',
        ...(etag === undefined ? {} : { 'if-none-match': etag }),
      },
    })
    if (response.status === 304 && etag !== undefined) return undefined
    if (response.status !== 200) {
      await response.body?.cancel()
      throw new DocumentUnreachable(`The request for its document returned ${response.status}.`)
    }
    const bytes = await readBody(response, MAX_BYTES)
    if (!bytes) throw new DocumentUnreachable(`Its document is larger than ${MAX_BYTES} bytes.`)
    return { bytes, etag: response.headers.get('etag') ?? undefined }
  } catch (error) {
    if (error instanceof DocumentUnreachable) throw error
    throw new DocumentUnreachable(describe(error as Error, deadlineMs), { cause: error })
  }
}

function describe(error: Error, deadlineMs: number): string {
  if (error.name === 'TimeoutError') return `Its document did not arrive within ${deadlineMs} ms.`
  const code = (error.cause as { code?: unknown } | undefined)?.code
  return `Its document could not be fetched${typeof code === 'string' ? `: ${code}` : ''}.`
}
