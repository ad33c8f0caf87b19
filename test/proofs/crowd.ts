import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export interface Crowd {
  url: string
  watchers: { team: string; token: string }[]
}

export interface Sightings {
  faults: string[]
  /** How many were seen by all watchers together. */
  events: number
}

export interface WatchingCrowd {
  /** Compares what each watcher has seen with the ids of the events of its team, in their order. */
  compare: (expected: Map<string, string[]>) => Promise<Sightings>
  leave: () => Promise<void>
}

/** Starts watchers in two threads of their own and resolves when all of them watch. */
export async function gatherCrowd({ url, watchers }: Crowd): Promise<WatchingCrowd> {
  const half = Math.ceil(watchers.length / 2)
  const workers = [watchers.slice(0, half), watchers.slice(half)].map(
    (part) =>
      new Worker(new URL('./crowd-of-watchers.ts', import.meta.url), {
        workerData: { url, watchers: part } satisfies Crowd,
      }),
  )
  await Promise.all(workers.map((worker) => once(worker, 'message')))
  return {
    compare: async (expected) => {
      const told = await Promise.all(
        workers.map(async (worker) => {
          worker.postMessage(expected)
          const [sightings] = await once(worker, 'message')
          return sightings as Sightings
        }),
      )
      return {
        faults: told.flatMap(({ faults }) => faults),
        events: told.reduce((sum, { events }) => sum + events, 0),
      }
    },
    leave: async () => void (await Promise.all(workers.map((worker) => worker.terminate()))),
  }
}
