import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import type { ServiceMeasures } from '../../platform/metrics.ts'
import { type Readied, type SharedBytes, toShared } from '../documents/protocol.ts'
import { DocumentBroken } from '../documents/read.ts'
import { DocumentUnreachable, type FetchedDocument, fetchDocument } from './fetch-document.ts'
import type { Publisher } from './publisher.ts'
import type { Adopted, Watch, WatchState } from './watch.ts'

export interface LookDeps {
  publisher: Publisher
  log: Logger
  now: () => number
  measures: ServiceMeasures
  closed: AbortSignal
}

/** As many as a person reads. */
const MOST_TOLD = 50

/** Looks once whether the document has changed. A good one is adopted; otherwise the last good one stays. */
export async function look(watch: Watch, deps: LookDeps): Promise<void> {
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
async function consider(watch: Watch, { bytes, etag }: FetchedDocument, deps: LookDeps): Promise<void> {
  const digest = createHash('sha256').update(bytes).digest('base64')
  const faults = digest === watch.seen?.digest ? watch.seen.faults : await tryOut(watch, bytes, deps)
  watch.seen = { etag, digest, faults }
}

/** Answers the faults for which a document is not adopted. */
async function tryOut(watch: Watch, bytes: Uint8Array, deps: LookDeps): Promise<readonly string[]> {
  const { documents } = deps.publisher
  const shared = toShared(bytes)
  try {
    if (!watch.adopted) await mountAhead(watch, shared, deps)
    await adopt(watch, await documents.prepare(watch.service, shared), deps)
    return []
  } catch (error) {
    await withdraw(watch, deps)
    if (error instanceof DocumentBroken) return error.faults
    throw error
  }
}

/** Its operations need not wait until all documents that came at once have been linted and combined. */
async function mountAhead(watch: Watch, bytes: SharedBytes, { publisher }: LookDeps): Promise<void> {
  watch.outline = await publisher.documents.outline(watch.service, bytes)
  await publisher.mount()
}

/** All that is told of a service changes at the moment its document does. */
async function adopt(watch: Watch, readied: Readied, deps: LookDeps): Promise<void> {
  const { adopted: before } = watch
  const changes = before ? await deps.publisher.documents.compare(before, readied) : []
  watch.candidate = readied
  await deps.publisher.publish()
  watch.adopted = { ...readied, sinceMs: deps.now() }
  watch.candidate = undefined
  watch.outline = undefined
  if (before) tellChange(watch, before, changes, deps)
  for (const sentence of readied.leftOut.slice(0, MOST_TOLD))
    deps.log.warn({ service: readied.service }, sentence)
}

/** What was not adopted is not mounted. */
async function withdraw(watch: Watch, { publisher }: LookDeps): Promise<void> {
  const tried = watch.candidate ?? watch.outline
  watch.candidate = undefined
  watch.outline = undefined
  if (tried) await publisher.mount()
}

function tellChange(watch: Watch, before: Adopted, changes: readonly string[], deps: LookDeps): void {
  const { service } = watch
  const toVersion = watch.adopted?.version ?? ''
  const facts = { service: service.name, from_version: before.version, to_version: toVersion }
  deps.measures.changed(changes.length > 0)
  if (changes.length === 0) {
    deps.log.info(facts, 'the document of a service changed')
    return
  }
  const told = changes.slice(0, MOST_TOLD)
  watch.lastBreakingChange = { atMs: deps.now(), fromVersion: before.version, toVersion, changes: told }
  deps.log.warn({ ...facts, changes: told }, 'the document of a service changed and breaks callers')
}

function enter(watch: Watch, state: WatchState, faults: readonly string[], deps: LookDeps): void {
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
