import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

/** Callers of an upstream that fails: each waits for its answer, and comes back when it is told to. */
const { url, headers, callers } = workerData as {
  /** Of an operation, but for the id at its end. */
  url: string
  headers: Record<string, string>
  callers: number
}

const START_MS = 1_000

async function call(): Promise<void> {
  // Callers know nothing of each other: they do not come all at once.
  await sleep(Math.random() * START_MS)
  for (;;) {
    const reply = await fetch(url + randomUUID(), { headers })
    await reply.arrayBuffer()
    await sleep((Number(reply.headers.get('retry-after')) + Math.random()) * 1_000)
  }
}

void Promise.all(Array.from({ length: callers }, call))
await sleep(START_MS)
parentPort?.postMessage('waiting')
