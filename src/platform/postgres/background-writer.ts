import { LRUCache } from 'lru-cache'
import type { Logger } from 'pino'
import { Problem } from '../../api/problem.ts'
import { Share } from '../limits/share.ts'

export interface BackgroundWriterOptions<Entry> {
  /** What the entries are, for the log. */
  what: string
  /** Storing an entry that is stored already has no effect. */
  insert: (entries: Entry[]) => Promise<void>
  countDropped?: (count: number) => void
  log: Logger
  /** Entries of which the newest counts. If absent, every entry is stored. */
  renew?: Renewal<Entry>
  /** Of all teams together. */
  maxWaiting?: number
  batchSize?: number
  delayMs?: number
  retryMs?: number
}

/** An entry that was stored already is not stored again, unless it has changed or `afterMs` are over. */
export interface Renewal<Entry> {
  key: (entry: Entry) => string
  content: (entry: Entry) => string
  afterMs: number
  maxKeys?: number
}

/** An entry that waits to be stored. */
interface Waiting<Entry> {
  entry: Entry
  /** Called once the database has been tried. */
  onTried: () => void
}

/** Stores entries in batches, so that requests do not wait for the database. While it is down, the entries wait in
 * memory; those that find no room, and those of a process that is killed, are lost. */
export function createBackgroundWriter<Entry extends { team_id: string }>({
  what,
  insert,
  countDropped = () => {},
  log,
  renew,
  maxWaiting = 10_000,
  batchSize = 500,
  delayMs = 100,
  retryMs = 1_000,
}: BackgroundWriterOptions<Entry>) {
  const room = new Share(maxWaiting)
  const known = renew && createKnown(renew)
  let waiting: Waiting<Entry>[] = []
  let dropped = 0
  let isFailing = false
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  const drop = (entries: Entry[]) => {
    dropped += entries.length
    countDropped(entries.length)
    for (const entry of entries) known?.forget(entry)
  }
  const reportDropped = () => {
    if (dropped > 0) log.error({ dropped }, `${what} are lost`)
    dropped = 0
  }
  /** Returns whether the batch is done with: stored, or refused for good. */
  const store = async (batch: Entry[]): Promise<boolean> => {
    try {
      await insert(batch)
      isFailing = false
    } catch (error) {
      const isTemporary = error instanceof Problem
      if (!isFailing || !isTemporary) {
        log.error({ err: error, waiting: waiting.length }, `cannot store ${what}`)
      }
      isFailing = true
      if (isTemporary) return false
      drop(batch)
    }
    return true
  }
  const write = async () => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchSize)
      const isDone = await store(batch.map(({ entry }) => entry))
      for (const { onTried } of isDone ? batch : waiting) onTried()
      if (!isDone) return
      waiting = waiting.slice(batch.length)
      for (const { entry } of batch) room.give(entry.team_id)
    }
  }
  const schedule = (ms: number) => {
    timer ??= setTimeout(() => {
      writing = write().finally(() => {
        timer = undefined
        reportDropped()
        if (waiting.length > 0) schedule(retryMs)
      })
    }, ms)
  }

  return {
    /** The promise ends once the database was tried with the entry. It need not be awaited, and never rejects. */
    async add(entry: Entry): Promise<void> {
      if (known?.has(entry)) return
      schedule(delayMs)
      if (room.tryTake(entry.team_id)) return drop([entry])
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push({ entry, onTried: resolve })
      known?.add(entry)
      // Further entries need not wait for a database that does not respond.
      if (!isFailing) await promise
    },

    /** Stores what waits, with one attempt. */
    close: async (): Promise<void> => {
      clearTimeout(timer)
      await writing
      clearTimeout(timer)
      await write()
      drop(waiting.map(({ entry }) => entry))
      reportDropped()
    },
  }
}

/** The entries that are stored, or wait. */
function createKnown<Entry>({ key, content, afterMs, maxKeys = 10_000 }: Renewal<Entry>) {
  const contents = new LRUCache<string, string>({ max: maxKeys, ttl: afterMs })
  return {
    has: (entry: Entry) => contents.get(key(entry)) === content(entry),
    add: (entry: Entry) => void contents.set(key(entry), content(entry)),
    forget: (entry: Entry) => void contents.delete(key(entry)),
  }
}
