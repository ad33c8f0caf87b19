import type { FairQueue, QueueEntry } from '../../src/platform/fairness/fair-queue.ts'

/** Lets a team hold places of a queue, and wait for more, until the returned function is called. */
export function hold(queue: FairQueue, team: string, places: number): () => void {
  const entries: QueueEntry[] = []
  while (entries.length < places) entries.push(enter(queue, team, () => {}))
  return () => leave(queue, entries)
}

/** Lets a team enter a queue until it is refused. */
export const fill = (queue: FairQueue, team: string) => fillWithTeams(queue, () => team)

/** Lets a team for each entry enter a queue until one is refused. */
export function fillWithTeams(queue: FairQueue, nextTeam: () => string): () => void {
  const entries: QueueEntry[] = []
  for (let isFull = false; !isFull; ) entries.push(enter(queue, nextTeam(), () => (isFull = true)))
  return () => leave(queue, entries)
}

function enter(queue: FairQueue, team: string, onRefusal: () => void): QueueEntry {
  const entry = { team, onPlace: () => {}, onRefusal }
  queue.enter(entry)
  return entry
}

function leave(queue: FairQueue, entries: readonly QueueEntry[]): void {
  for (const entry of entries) queue.cancel(entry)
  for (const entry of entries) queue.release(entry)
}
