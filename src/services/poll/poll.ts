import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import { DocumentInvalid } from '../document/invalid.ts'
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
  try {
    const known = state.judged
    const fetched = await fetchDocument(service.documentUrl, known?.etag, service.deadlineMs, deps.closing)
    if (!fetched) return { type: 'unchanged', etag: known?.etag }
    const digest = createHash('sha256').update(fetched.bytes).digest('base64')
    if (digest === known?.digest) return { type: 'unchanged', etag: fetched.etag }
    return await adopt(service, state, { etag: fetched.etag, digest }, fetched.bytes, deps)
  } catch (error) {
    if (error instanceof DocumentUnreachable) return { type: 'unreachable', reason: error.message }
    if (!deps.closing.aborted) {
      deps.log.error(
        { service: service.name, err: error },
        'the document of a service could not be published',
      )
    }
    return { type: 'failed', reason: (error as Error).message }
  }
}

async function adopt(
  service: Service,
  { adopted }: ServiceState,
  fetched: { etag: string | undefined; digest: string },
  bytes: Uint8Array,
  { workers, publisher, log, closing, reserved }: PollDeps,
): Promise<PollResult> {
  let document: PreparedDocument
  try {
    document = await workers.prepare(service, toShared(bytes), reserved())
  } catch (error) {
    if (closing.aborted) throw error
    if (error instanceof DocumentInvalid) return { type: 'refused', fetched, faults: error.faults }
    // Parser crashes are deterministic: the same bytes are not tried again.
    log.error({ service: service.name, err: error }, 'the document of a service could not be read')
    return { type: 'refused', fetched, faults: [`Reading it failed: ${(error as Error).message}`] }
  }
  const changes = adopted ? await compare(workers, adopted, document) : []
  await publisher.publish(document).catch((cause: unknown) => {
    throw new Error(`It could not be combined with the others: ${(cause as Error).message}`, { cause })
  })
  return { type: 'adopted', fetched, document, changes }
}

/** A document that cannot be compared counts as breaking. */
function compare(
  workers: DocumentWorkers,
  before: PreparedDocument,
  after: PreparedDocument,
): Promise<string[]> {
  return workers
    .compare(before, after)
    .catch((error: unknown) => [
      `It could not be compared with the document before: ${(error as Error).message}`,
    ])
}
