import type { DeclaredOperation } from '../operation.ts'
import type { Service } from '../service.ts'
import type { Answer } from './check-answer.ts'
import type { ServedDocument } from './served.ts'

/** Bytes that threads share: nobody copies them, and nobody changes them. */
export type SharedBytes = Uint8Array<SharedArrayBuffer>

/** The operations of a document that can be mounted. */
export interface Outline {
  readonly service: string
  readonly operations: readonly DeclaredOperation[]
  /** Theirs, and those of their callbacks. */
  readonly operationIds: readonly string[]
}

/** A document that was found good, with what is told of it. */
export interface Readied extends Outline {
  readonly title: string
  readonly version: string
  /** A sentence for each operation that is not mounted. */
  readonly leftOut: readonly string[]
  /** The prepared document, for the other tasks. */
  readonly prepared: SharedBytes
  /** Of the prepared document. */
  readonly digest: string
}

/** What a thread is asked, and what it answers. A request brings along all that it needs, so that any thread can do it. */
export interface Tasks {
  /** Takes a small part of the time that preparing does. */
  outline: (service: Service, bytes: SharedBytes) => Promise<Outline>
  prepare: (service: Service, bytes: SharedBytes) => Promise<Readied>
  compare: (before: Readied, after: Readied) => Promise<string[]>
  combine: (own: string, services: readonly Readied[]) => Promise<ServedDocument>
  check: (service: Readied, answer: Answer) => Promise<string | undefined>
}

export type TaskName = keyof Tasks

export interface Request {
  readonly task: TaskName
  readonly args: readonly unknown[]
}

export type Response =
  | { readonly result: unknown }
  /** Faults are those of a broken document; without them it is one of ours. */
  | { readonly error: string; readonly faults: readonly string[] | undefined }

export function toShared(bytes: Uint8Array): SharedBytes {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  shared.set(bytes)
  return shared
}
