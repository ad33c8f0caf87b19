import { MOST_BYTES } from '../documents/read.ts'

/** Why a document cannot be had, in a sentence. */
export class DocumentUnreachable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'DocumentUnreachable'
  }
}

export interface FetchedDocument {
  bytes: Uint8Array
  etag: string | undefined
}

/** Undefined where the document is still the one of that tag. */
export async function fetchDocument(
  url: string,
  etag: string | undefined,
  deadlineMs: number,
  closed: AbortSignal,
): Promise<FetchedDocument | undefined> {
  try {
    const response = await fetch(url, {
      // Wherever it leads, it was not what the services file names.
      redirect: 'error',
      signal: AbortSignal.any([closed, AbortSignal.timeout(deadlineMs)]),
      headers: {
        accept: 'application/json, application/yaml;q=0.9, */*;q=0.5',
        'user-agent': 'agent-console',
        ...(etag === undefined ? {} : { 'if-none-match': etag }),
      },
    })
    if (response.status === 304 && etag !== undefined) return undefined
    if (response.status !== 200) {
      await response.body?.cancel()
      throw new DocumentUnreachable(`Asked for its document, it answered ${response.status}.`)
    }
    return { bytes: await readBody(response), etag: response.headers.get('etag') ?? undefined }
  } catch (error) {
    if (error instanceof DocumentUnreachable) throw error
    throw new DocumentUnreachable(sentence(error as Error, deadlineMs), { cause: error })
  }
}

/** Counted as it comes, unpacked: what is too large is not waited for. */
async function readBody(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MOST_BYTES) throw new DocumentUnreachable(`Its document is larger than ${MOST_BYTES} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function sentence(error: Error, deadlineMs: number): string {
  if (error.name === 'TimeoutError') return `Its document did not come within ${deadlineMs} ms.`
  const code = (error.cause as { code?: unknown } | undefined)?.code
  return `Its document could not be fetched${typeof code === 'string' ? `: ${code}` : ''}.`
}
