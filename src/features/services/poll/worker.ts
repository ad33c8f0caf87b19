import { parentPort } from 'node:worker_threads'
import type { Service } from '../../../config/services-file.ts'
import { combine, prepareParts, type ServedDocument, toServed } from '../document/combine.ts'
import {
  DocumentInvalid,
  type Node,
  type PreparedDocument,
  type PublishedParts,
} from '../document/document.ts'

/** What worker threads run. A task brings along all that it needs, so that any thread can run it. */
const tasks = {
  /** The reasons why a document is invalid come back as a value: an error loses its class between threads. */
  prepare(
    service: Service,
    bytes: Uint8Array,
    reserved: readonly string[],
  ): PreparedDocument | { errors: readonly string[] } {
    try {
      const { area, tag, paths, components, ...facts } = prepareParts(service, bytes, reserved)
      const parts = new TextEncoder().encode(JSON.stringify({ area, tag, paths, components }))
      return { service: service.name, ...facts, parts }
    } catch (error) {
      if (error instanceof DocumentInvalid) return { errors: error.errors }
      throw error
    }
  },

  combine(own: string, documents: readonly PreparedDocument[]): ServedDocument {
    const parts = documents.map(({ parts: bytes }) => JSON.parse(new TextDecoder().decode(bytes)))
    return toServed(JSON.stringify(combine(JSON.parse(own) as Node, parts as PublishedParts[])))
  },
}

export type Tasks = typeof tasks

export interface Task {
  id: number
  name: keyof Tasks
  args: readonly unknown[]
}

export default function run({ id, name, args }: Task): unknown {
  // The deadline of a task begins when it starts, not when it is queued.
  parentPort?.postMessage({ started: id })
  return (tasks[name] as (...args: readonly unknown[]) => unknown)(...args)
}
