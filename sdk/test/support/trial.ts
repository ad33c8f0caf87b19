import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestConsole } from '../../../test/support/console.ts'
import { Console } from '../../src/index.ts'
import type { BreakingProxy, Fault, Planned } from './breaking-proxy.ts'
import { createScene, type Operation, type Scene } from './scene.ts'

export interface Outcome {
  result: unknown
  error: unknown
  planned: Planned
  /** Changes that the console has made; 0 for an operation that reads. */
  changes: number
}

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../../openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, { operationId: string }>>
}

/** The method of each operation of the document. */
export const METHODS: ReadonlyMap<string, string> = new Map(
  Object.values(document.paths).flatMap((path) =>
    Object.entries(path).map(([method, { operationId }]) => [operationId, method.toUpperCase()]),
  ),
)

/** Calls an operation through the proxy, in a scene of its own if it changes something. */
export async function attempt(
  { running, proxy, shared }: { running: TestConsole; proxy: BreakingProxy; shared: Scene },
  [name, operation]: [string, Operation],
  fault?: Fault,
): Promise<Outcome> {
  const scene = operation.count ? await createScene(running) : shared
  if (operation.count || !fault) await operation.prepare?.(scene)
  const client = new Console({ baseUrl: proxy.url, token: scene.person.token, retryDelayMs: 0 })
  const requestId = randomUUID()
  const before = (await operation.count?.(scene)) ?? 0
  const planned = proxy.plan(requestId, METHODS.get(name) ?? '', fault)
  const outcome = await operation.call(client, scene, { requestId }).then(
    (result) => ({ result: withoutRequestId(result), error: undefined }),
    (error: unknown) => ({ result: undefined, error }),
  )
  return { ...outcome, planned, changes: ((await operation.count?.(scene)) ?? 0) - before }
}

function withoutRequestId(result: unknown): unknown {
  return JSON.parse(JSON.stringify(result ?? null, (key, value) => (key === 'requestId' ? undefined : value)))
}

/** Runs the tasks, a few at a time. */
export async function inParallel<T>(items: Iterable<T>, run: (item: T) => Promise<void>): Promise<void> {
  const queue = Iterator.from(items)
  const worker = async () => {
    for (const item of queue) await run(item)
  }
  await Promise.all(Array.from({ length: 6 }, worker))
}
