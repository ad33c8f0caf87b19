import { createHash } from 'node:crypto'
import { DocumentUnreachable, type FetchedDocument, fetchDocument } from './fetch-document.ts'
import { type TryOutDeps, tryOut } from './try-out.ts'
import type { Watch, WatchState } from './watch.ts'

/** Looks once whether the document has changed. A good one is adopted; otherwise the last good one stays. */
export async function look(watch: Watch, deps: TryOutDeps): Promise<void> {
  const { service, seen } = watch
  try {
    const fetched = await fetchDocument(service.documentUrl, seen?.etag, service.deadlineMs, deps.closed)
    if (fetched) await consider(watch, fetched, deps)
    const faults = watch.seen?.faults ?? []
    enter(watch, faults.length > 0 ? 'document_broken' : 'up', faults, deps)
  } catch (error) {
    if (deps.closed.aborted) return
    const isTheirs = error instanceof DocumentUnreachable
    if (!isTheirs) deps.log.error({ service: service.name, err: error }, 'a document could not be used')
    enter(watch, isTheirs ? 'document_unreachable' : 'document_broken', [(error as Error).message], deps)
  }
}

/** The same again is no news, whatever its tag. */
async function consider(watch: Watch, { bytes, etag }: FetchedDocument, deps: TryOutDeps): Promise<void> {
  const digest = createHash('sha256').update(bytes).digest('base64')
  const faults =
    digest === watch.seen?.digest ? watch.seen.faults : await tryOut(watch, { bytes, digest }, deps)
  watch.seen = { etag, digest, faults }
}

function enter(watch: Watch, state: WatchState, faults: readonly string[], deps: TryOutDeps): void {
  watch.faults = faults
  if (watch.state === state) return
  deps.log[state === 'up' ? 'info' : 'warn'](
    { service: watch.service.name, from: watch.state, to: state, faults },
    'a service changed its state',
  )
  watch.state = state
  watch.sinceMs = deps.now()
  deps.measures.state(state)
}
