import type { Logger } from 'pino'
import type { ServiceMetrics } from '../../platform/metrics.ts'
import { type Readied, toShared } from '../documents/protocol.ts'
import { DocumentBroken } from '../documents/read.ts'
import type { Publisher } from './publisher.ts'
import type { Adopted, Watch } from './watch.ts'

export interface TryOutDeps {
  publisher: Publisher
  log: Logger
  now: () => number
  measures: ServiceMetrics
  closed: AbortSignal
}

interface Newcomer {
  readonly bytes: Uint8Array
  readonly digest: string
}

/** As many as a person reads. */
const MOST_TOLD = 50

/** Adopts a document, or answers the faults for which it cannot be. Throws where that is no fault of its own. */
export async function tryOut(watch: Watch, newcomer: Newcomer, deps: TryOutDeps): Promise<readonly string[]> {
  try {
    const adopting = read(watch, newcomer, deps).then((readied) => adopt(watch, readied, deps))
    await (watch.adopted ? adopting : deps.publisher.expect(adopting))
    return []
  } catch (error) {
    await withdraw(watch, deps)
    if (error instanceof DocumentBroken) return error.faults
    throw error
  }
}

async function read(watch: Watch, { bytes, digest }: Newcomer, deps: TryOutDeps): Promise<Readied> {
  const { publisher, log, closed } = deps
  const shared = toShared(bytes)
  const isKnown = watch.triedDigest === digest
  watch.triedDigest = digest
  try {
    if (!watch.adopted && !isKnown) {
      // Its operations need not wait until all documents that came at once have been linted and combined.
      watch.inUse = await publisher.documents.outline(watch.service, shared)
      await publisher.mount()
    }
    return await publisher.documents.prepare(watch.service, shared)
  } catch (error) {
    if (error instanceof DocumentBroken || closed.aborted) throw error
    // What a library cannot bear today it will not bear tomorrow.
    log.error({ service: watch.service.name, err: error }, 'a document could not be read')
    throw new DocumentBroken(`Reading it failed: ${(error as Error).message}.`)
  }
}

/** All that is told of a service changes once both its operations and its document are in use. */
async function adopt(watch: Watch, readied: Readied, deps: TryOutDeps): Promise<void> {
  const { publisher, log, now } = deps
  const { adopted: before } = watch
  const changes = before ? await compare(before, readied, publisher) : []
  watch.candidate = readied
  await publisher.publish().catch((cause: unknown) => {
    throw new Error(`It could not be combined with the others: ${(cause as Error).message}`, { cause })
  })
  watch.candidate = undefined
  watch.adopted = { ...readied, sinceMs: now() }
  watch.inUse = watch.adopted
  if (before) tellChange(watch, before, changes, deps)
  for (const sentence of readied.leftOut.slice(0, MOST_TOLD)) log.warn({ service: readied.service }, sentence)
}

/** What cannot be compared may break anybody. */
function compare(before: Readied, after: Readied, { documents }: Publisher): Promise<string[]> {
  return documents
    .compare(before, after)
    .catch((error: unknown) => [
      `It could not be compared with the document before: ${(error as Error).message}`,
    ])
}

/** What was not adopted is not mounted. */
async function withdraw(watch: Watch, { publisher }: TryOutDeps): Promise<void> {
  watch.candidate = undefined
  if (watch.inUse === watch.adopted) return
  watch.inUse = watch.adopted
  await publisher.mount()
}

function tellChange(watch: Watch, before: Adopted, changes: readonly string[], deps: TryOutDeps): void {
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
