import { type ServedDocument, toServed } from '../document/combine.ts'
import type { PreparedDocument } from '../document/document.ts'
import type { Service } from '../file/services-file.ts'
import { createMountedTable, type MountedTable } from '../mount/table.ts'
import type { DocumentWorkers } from './workers.ts'

/** The routing table and the combined document that are currently in use. Both are replaced in one step. */
export interface Publication {
  readonly table: MountedTable
  readonly document: ServedDocument
}

export interface Publisher {
  current: () => Publication
  /** Sets the console's own document. Called once, before anything is published. */
  begin: (own: string) => Promise<void>
  /** Puts a document in use. On failure everything stays as it is. */
  publish: (document: PreparedDocument) => Promise<void>
}

export interface PublisherOptions {
  services: readonly Service[]
  workers: Pick<DocumentWorkers, 'combine'>
}

export function createPublisher({ services, workers }: PublisherOptions): Publisher {
  const inUse = new Map<string, PreparedDocument>()
  let waiting = new Map<string, PreparedDocument>()
  let own = ''
  let current: Publication | undefined

  const build = (documents: readonly PreparedDocument[]): Promise<MountedTable> => {
    const isPublished = ({ name }: Service) => documents.some(({ service }) => service === name)
    const pending = services.filter((service) => !isPublished(service)).flatMap(({ prefixes }) => prefixes)
    const operations = documents.flatMap((document) => document.operations)
    return createMountedTable(operations, pending)
  }
  let last: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  /** One run at a time. Documents that arrive before it begins share a run. */
  const run = async () => {
    next = undefined
    const added = waiting
    waiting = new Map()
    const documents = services.flatMap(({ name }) => added.get(name) ?? inUse.get(name) ?? [])
    const [document, table] = await Promise.all([workers.combine(own, documents), build(documents)])
    for (const [name, one] of added) inUse.set(name, one)
    current = { table, document }
  }
  return {
    current: () => {
      if (!current) throw new Error('Nothing is published before the start')
      return current
    },
    begin: async (text) => {
      own = text
      current = { table: await build([]), document: toServed(text) }
    },
    publish: (document) => {
      waiting.set(document.service, document)
      next ??= last = last.then(run, run)
      return next
    },
  }
}
