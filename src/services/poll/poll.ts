import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import { type PreparedDocument, toShared } from '../document/prepared.ts'
import type { Service } from '../file/service.ts'
import type { Publisher } from '../publish/publisher.ts'
import type { DocumentWorkers } from '../workers/pool.ts'
import { DocumentUnreachable, fetchDocument } from './fetch-document.ts'
import type { PollResult, ServiceState } from './service-state.ts'

export interface PollDeps {
  workers: DocumentWorkers
  publisher: Publisher
  log: Logger
  closing: AbortSignal
  /** The console's own components, such as `schemas/Agent`. */
  reserved: () => readonly string[]
}

/** Fetches the document of a service once. A valid one that has changed is published. */
export async function poll(service: Service, state: ServiceState, deps: PollDeps): Promise<PollResult> {
  const { documentUrl, deadlineMs } = service
  const { lastChecked } = state
  try {
    const fetched = await fetchDocument(documentUrl, lastChecked?.etag, deadlineMs, deps.closing)
    if (!fetched) return { type: 'unchanged', etag: lastChecked?.etag }
    const { bytes, etag } = fetched
    const digest = createHash('sha256').update(bytes).digest('base64')
    if (digest === lastChecked?.digest) return { type: 'unchanged', etag }
    const document = await prepare(service, bytes, deps)
    if ('errors' in document) return { type: 'invalid', fetched: { etag, digest }, errors: document.errors }
    const changes = await publish(state.adopted, document, deps)
    return { type: 'adopted', fetched: { etag, digest }, document, changes }
  } catch (error) {
    const reason = (error as Error).message
    if (error instanceof DocumentUnreachable) return { type: 'unreachable', reason }
    if (!deps.closing.aborted) deps.log.error({ service: service.name, err: error }, 'a poll failed')
    return { type: 'failed', reason }
  }
}

async function prepare(
  service: Service,
  bytes: Uint8Array,
  { workers, log, closing, reserved }: PollDeps,
): Promise<PreparedDocument | { errors: readonly string[] }> {
  try {
    return await workers.prepare(service, toShared(bytes), reserved())
  } catch (error) {
    if (closing.aborted) throw error
    // Parser crashes are deterministic: the same bytes are not tried again.
    log.error({ service: service.name, err: error }, 'the document of a service could not be read')
    return { errors: [`Reading it failed: ${(error as Error).message}`] }
  }
}

/** Returns what breaks callers of the document before. A document that cannot be compared counts as breaking. */
async function publish(
  before: PreparedDocument | undefined,
  document: PreparedDocument,
  { workers, publisher }: PollDeps,
): Promise<string[]> {
  const comparing = before ? workers.compare(before, document) : Promise.resolve([])
  const changes = await comparing.catch((error: Error) => [`It could not be compared: ${error.message}`])
  await publisher.publish(document).catch((cause: Error) => {
    throw new Error(`It could not be combined with the others: ${cause.message}`, { cause })
  })
  return changes
}
