import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import type { ServiceStatus } from '../../contract/service.ts'
import type { ServiceMeasures } from '../../platform/metrics.ts'
import type { Documents } from '../documents/documents.ts'
import { type Readied, toShared } from '../documents/protocol.ts'
import { DocumentBroken } from '../documents/read.ts'
import type { Service } from '../service.ts'
import { DocumentUnreachable, type FetchedDocument, fetchDocument } from './fetch-document.ts'

export type WatchState = ServiceStatus['state']

/** A document that is in use. */
interface Adopted extends Readied {
  readonly sinceMs: number
}

interface BreakingChange {
  readonly atMs: number
  readonly fromVersion: string
  readonly toVersion: string
  readonly changes: readonly string[]
}

/** What is known of one service. */
export interface Watch {
  readonly service: Service
  state: WatchState
  sinceMs: number
  /** Why it is in its state. */
  faults: readonly string[]
  /** The last good one. */
  adopted: Adopted | undefined
  /** One that is about to be adopted. */
  candidate: Readied | undefined
  lastBreakingChange: BreakingChange | undefined
  /** The last one that came, good or broken. */
  seen: { etag: string | undefined; digest: string; faults: readonly string[] } | undefined
}

export interface WatchDeps {
  documents: Documents
  log: Logger
  now: () => number
  measures: ServiceMeasures
  /** Puts the newest good document of every service in use. */
  publish: () => Promise<void>
  closed: AbortSignal
}

/** As many as a person reads. */
const MOST_CHANGES = 50

export function createWatch(service: Service, now: () => number): Watch {
  return {
    service,
    state: 'starting',
    sinceMs: now(),
    faults: [],
    adopted: undefined,
    candidate: undefined,
    lastBreakingChange: undefined,
    seen: undefined,
  }
}

/** Looks once whether the document has changed. A good one is adopted; otherwise the last good one stays. */
export async function look(watch: Watch, deps: WatchDeps): Promise<void> {
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
async function consider(watch: Watch, { bytes, etag }: FetchedDocument, deps: WatchDeps): Promise<void> {
  const digest = createHash('sha256').update(bytes).digest('base64')
  const faults = digest === watch.seen?.digest ? watch.seen.faults : await tryOut(watch, bytes, deps)
  watch.seen = { etag, digest, faults }
}

/** Answers the faults for which a document is not adopted. */
async function tryOut(watch: Watch, bytes: Uint8Array, deps: WatchDeps): Promise<readonly string[]> {
  const readied = await deps.documents.prepare(watch.service, toShared(bytes)).catch((error: unknown) => {
    if (error instanceof DocumentBroken) return error
    throw error
  })
  if (readied instanceof DocumentBroken) return readied.faults
  await adopt(watch, readied, deps)
  return []
}

/** All that is told of a service changes at the moment its operations do. */
async function adopt(watch: Watch, readied: Readied, deps: WatchDeps): Promise<void> {
  const { adopted: before } = watch
  const changes = before ? await deps.documents.compare(before, readied) : []
  watch.candidate = readied
  try {
    await deps.publish()
  } finally {
    watch.candidate = undefined
  }
  watch.adopted = { ...readied, sinceMs: deps.now() }
  if (before) tellChange(watch, before, changes, deps)
  for (const sentence of readied.leftOut) deps.log.warn({ service: readied.service }, sentence)
}

function tellChange(watch: Watch, before: Adopted, changes: readonly string[], deps: WatchDeps): void {
  const { service } = watch
  const toVersion = watch.adopted?.version ?? ''
  const facts = { service: service.name, from_version: before.version, to_version: toVersion }
  deps.measures.changed(changes.length > 0)
  if (changes.length === 0) {
    deps.log.info(facts, 'the document of a service changed')
    return
  }
  const told = changes.slice(0, MOST_CHANGES)
  watch.lastBreakingChange = { atMs: deps.now(), fromVersion: before.version, toVersion, changes: told }
  deps.log.warn({ ...facts, changes: told }, 'the document of a service changed and breaks callers')
}

function enter(watch: Watch, state: WatchState, faults: readonly string[], deps: WatchDeps): void {
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
