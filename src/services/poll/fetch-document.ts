import { sendToConfigured } from '../../platform/outbound/configured.ts'
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
    const { status, headers, body } = await sendToConfigured(url, {
      ...{ timeoutMs: deadlineMs, maxBytes: MAX_BYTES, signal: closing },
      headers: {
        accept: 'application/json, application/yaml;q=0.9, */*;q=0.5',
        ...(etag === undefined ? {} : { 'if-none-match': etag }),
      },
    })
    if (status === 304 && etag !== undefined) return undefined
    if (status !== 200) throw new DocumentUnreachable(`The request for its document returned ${status}.`)
    if (!body) throw new DocumentUnreachable(`Its document is larger than ${MAX_BYTES} bytes.`)
    return { bytes: body, etag: headers.get('etag') ?? undefined }
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
