import { createHash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import type { CheckResponse, SampledResponse } from '../check/check-response.ts'
import { combine, type ServedDocument, toServed } from '../combine/combine.ts'
import { findBreakingChanges } from '../compare/compare.ts'
import { DocumentInvalid } from '../document/invalid.ts'
import { type PreparedDocument, type SharedBytes, toShared } from '../document/prepared.ts'
import type { Node } from '../document/tree.ts'
import type { Service } from '../file/service.ts'
import type { PreparedParts } from './prepare.ts'

/** What worker threads run. A task brings along all that it needs, so that any thread can run it. */
export interface Tasks {
  /** Loads what `prepare` needs. */
  warmUp: () => Promise<void>
  /** The reasons why a document is invalid come back as a value: an error loses its class between threads. */
  prepare: (
    service: Service,
    bytes: SharedBytes,
    reserved: readonly string[],
  ) => Promise<PreparedDocument | { errors: readonly string[] }>
  compare: (before: PreparedDocument, after: PreparedDocument) => Promise<string[]>
  combine: (own: string, documents: readonly PreparedDocument[]) => Promise<ServedDocument>
  check: (document: PreparedDocument, response: SampledResponse) => Promise<string | undefined>
}

/** By service, the last document that this thread has parsed. */
const parsed = new Map<string, { digest: string; parts: PreparedParts; check?: CheckResponse }>()

function parse({ service, digest, parts }: PreparedDocument) {
  const known = parsed.get(service)
  if (known?.digest === digest) return known
  const fresh = { digest, parts: JSON.parse(Buffer.from(parts).toString()) as PreparedParts }
  parsed.set(service, fresh)
  return fresh
}

const tasks: Tasks = {
  warmUp: async () => void (await import('./prepare.ts')),
  prepare: async (service, bytes, reserved) => {
    const { prepareParts } = await import('./prepare.ts')
    try {
      // Shared memory cannot be decoded in place.
      const parts = prepareParts(service, Uint8Array.from(bytes), reserved)
      const json = Buffer.from(JSON.stringify(parts))
      const { title, version, operations, leftOut } = parts
      const digest = createHash('sha256').update(json).digest('base64')
      return { service: service.name, title, version, operations, leftOut, parts: toShared(json), digest }
    } catch (error) {
      if (error instanceof DocumentInvalid) return { errors: error.errors }
      throw error
    }
  },
  compare: async (before, after) => findBreakingChanges(parse(before).parts, parse(after).parts),
  combine: async (own, documents) => {
    const parts = documents.map((document) => parse(document).parts)
    return toServed(JSON.stringify(combine(JSON.parse(own) as Node, parts)))
  },
  check: async (document, response) => {
    const { createResponseCheck } = await import('../check/check-response.ts')
    const known: ReturnType<typeof parse> & { check?: CheckResponse } = parse(document)
    known.check ??= createResponseCheck(known.parts)
    return known.check(response)
  },
}

export interface Task {
  id: number
  name: keyof Tasks
  args: readonly unknown[]
}

export default function run({ id, name, args }: Task): Promise<unknown> {
  // The deadline of a task begins when it starts, not when it is queued.
  parentPort?.postMessage({ started: id })
  return (tasks[name] as (...args: readonly unknown[]) => Promise<unknown>)(...args)
}
