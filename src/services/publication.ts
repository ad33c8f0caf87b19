import type { Logger } from 'pino'
import { within } from '../platform/within.ts'
import { type ServedDocument, toServed } from './documents/served.ts'
import { createMountedTable, createMountedTableInTurns, type MountedTable } from './mount/table.ts'
import type { DeclaredOperation } from './operation.ts'

/** What is in use of all services at the moment: the table by which a request finds its operation, and the document that
 * declares them all. */
export interface Publication {
  readonly mounted: { current: MountedTable }
  mount: (operations: readonly DeclaredOperation[]) => Promise<void>
  /** With the console's own document, which is all there is until the services have been looked at. */
  begin: (own: string, looked: Promise<unknown>) => void
  /** Serves a document from the moment it is there. */
  serve: (document: Promise<ServedDocument>) => Promise<void>
  /** Whoever asks while a new one is being made gets that. */
  document: () => Promise<ServedDocument>
}

/** Nobody waits longer for a new document than this: he gets the one before. */
const DOCUMENT_PATIENCE_MS = 5_000

export function createPublication(log: Logger): Publication {
  const mounted = { current: createMountedTable([]) }
  let served = toServed('')
  let coming: Promise<unknown> = Promise.resolve()
  const serve = async (document: Promise<ServedDocument>) => {
    served = await document
  }
  return {
    mounted,
    mount: async (operations) => {
      const table = await createMountedTableInTurns(operations)
      for (const { operation, reason } of table.refused) log.error({ service: operation.service }, reason)
      mounted.current = table
    },
    begin: (own, looked) => {
      served = toServed(own)
      coming = looked
    },
    serve: (document) => {
      const serving = serve(document)
      coming = serving.catch(() => {})
      return serving
    },
    document: async () => {
      await within(DOCUMENT_PATIENCE_MS, coming, undefined)
      return served
    },
  }
}
