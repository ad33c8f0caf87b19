import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import { sendToConfigured } from '../../platform/outbound/configured.ts'
import { MAX_BYTES, type PreparedDocument } from '../document/document.ts'
import type { Service } from '../file/services-file.ts'
import type { Publisher } from './publisher.ts'
import type { PollResult, ServiceState } from './service-state.ts'
import type { DocumentWorkers } from './workers.ts'

export interface PollDeps {
  workers: Pick<DocumentWorkers, 'prepare'>
  publisher: Publisher
  log: Logger
  closing: AbortSignal
  /** The console's own components, such as `schemas/Agent`. */
  reserved: readonly string[]
}

type Fetched = { type: 'fetched'; bytes: Uint8Array; etag: string | undefined }

/** Fetches the document of a service once. A valid one that has changed is published. */
export async function poll(
  service: Service,
  { lastChecked }: ServiceState,
  deps: PollDeps,
): Promise<PollResult> {
  const response = await fetchDocument(service, lastChecked?.etag, deps.closing)
  if (response.type !== 'fetched') return response
  const { bytes, etag } = response
  const digest = createHash('sha256').update(bytes).digest('base64')
  if (digest === lastChecked?.digest) return { type: 'unchanged', etag }
  try {
    const document = await prepare(service, bytes, deps)
    if ('errors' in document) return { type: 'invalid', fetched: { etag, digest }, errors: document.errors }
    await deps.publisher.publish(document).catch((cause: Error) => {
      throw new Error(`It could not be combined with the others: ${cause.message}`, { cause })
    })
    return { type: 'adopted', fetched: { etag, digest }, document }
  } catch (error) {
    if (!deps.closing.aborted) deps.log.error({ service: service.name, err: error }, 'a poll failed')
    return { type: 'failed', reason: (error as Error).message }
  }
}

async function fetchDocument(
  { documentUrl, deadlineMs }: Service,
  etag: string | undefined,
  closing: AbortSignal,
): Promise<Fetched | PollResult> {
  const unreachable = (reason: string) => ({ type: 'unreachable' as const, reason })
  try {
    const { status, headers, body } = await sendToConfigured(documentUrl, {
      timeoutMs: deadlineMs,
      maxBytes: MAX_BYTES,
      signal: closing,
      headers: {
        accept: 'application/json, application/yaml;q=0.9, */*;q=0.5',
        ...(etag === undefined ? {} : { 'if-none-match': etag }),
      },
    })
    if (status === 304 && etag !== undefined) return { type: 'unchanged', etag }
    if (status !== 200) return unreachable(`The request for its document returned ${status}.`)
    if (!body) return unreachable(`Its document is larger than ${MAX_BYTES} bytes.`)
    return { type: 'fetched', bytes: body, etag: headers.get('etag') ?? undefined }
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: unknown } }
    if (name === 'TimeoutError') return unreachable(`Its document did not arrive within ${deadlineMs} ms.`)
    const code = typeof cause?.code === 'string' ? `: ${cause.code}` : ''
    return unreachable(`Its document could not be fetched${code}.`)
  }
}

async function prepare(
  service: Service,
  bytes: Uint8Array,
  { workers, log, closing, reserved }: PollDeps,
): Promise<PreparedDocument | { errors: readonly string[] }> {
  try {
    return await workers.prepare(service, bytes, reserved)
  } catch (error) {
    if (closing.aborted) throw error
    // Parser crashes are deterministic: the same bytes are not tried again.
    log.error({ service: service.name, err: error }, 'the document of a service could not be read')
    return { errors: [`Reading it failed: ${(error as Error).message}`] }
  }
}
