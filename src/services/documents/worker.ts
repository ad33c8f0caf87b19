import { createHash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import type { CheckAnswer } from './check-answer.ts'
import { combine } from './combine.ts'
import { findBreakingChanges } from './compare.ts'
import { outline, prepare } from './prepare.ts'
import type { Prepared } from './prepared.ts'
import { type Readied, type Request, type Response, type Tasks, toShared } from './protocol.ts'
import { DocumentBroken } from './read.ts'
import { toServed } from './served.ts'
import type { Node } from './tree.ts'

/** One of the threads that work on documents. What it keeps it can make again from what a request brings along. */

interface Known {
  digest: string
  prepared: Prepared
  check?: CheckAnswer
}

const known = new Map<string, Known>()

function read({ service, digest, prepared }: Readied): Known {
  const found = known.get(service)
  if (found?.digest === digest) return found
  // Shared memory cannot be decoded where it is.
  const read = { digest, prepared: JSON.parse(Buffer.from(prepared).toString()) as Prepared }
  known.set(service, read)
  return read
}

const tasks: Tasks = {
  outline: async (service, bytes) => outline(service, Uint8Array.from(bytes)),
  prepare: async (service, bytes) => {
    const prepared = await prepare(service, Uint8Array.from(bytes))
    const text = Buffer.from(JSON.stringify(prepared))
    return {
      service: service.name,
      title: prepared.title,
      version: prepared.version,
      operations: prepared.operations,
      operationIds: prepared.operationIds,
      leftOut: prepared.leftOut,
      prepared: toShared(text),
      digest: createHash('sha256').update(text).digest('base64'),
    }
  },
  compare: async (before, after) => findBreakingChanges(read(before).prepared, read(after).prepared),
  combine: async (own, services) => {
    const prepared = services.map((service) => read(service).prepared)
    return toServed(JSON.stringify(combine(JSON.parse(own) as Node, prepared)))
  },
  check: async (service, answer) => {
    const found = read(service)
    // Loaded when it is first needed, like the linter: at the start others wait.
    const { createAnswerCheck } = await import('./check-answer.ts')
    found.check ??= createAnswerCheck(found.prepared)
    return found.check(answer)
  },
}

async function answer({ task, args }: Request): Promise<Response> {
  try {
    return { result: await (tasks[task] as (...args: readonly unknown[]) => Promise<unknown>)(...args) }
  } catch (error) {
    const faults = error instanceof DocumentBroken ? error.faults : undefined
    return { error: (error as Error).message, faults }
  }
}

parentPort?.on('message', (request: Request) => {
  void answer(request).then((response) => parentPort?.postMessage(response))
})
