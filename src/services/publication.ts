import type { Logger } from 'pino'
import { withTimeout } from '../platform/with-timeout.ts'
import { type ServedDocument, toServed } from './documents/served.ts'
import { createMountedTable, createMountedTableInTurns, type MountedTable } from './mount/table.ts'
import type { DeclaredOperation } from './operation.ts'
import { createUnderWay, type UnderWay } from './under-way.ts'

/** What is in use of all services at the moment: the table by which a request finds its operation, and the document that
 * declares them all. */
export interface Publication {
  readonly mounted: { current: MountedTable }
  /** Paths under the awaited prefixes may be of a service of which nothing is known. */
  mount: (operations: readonly DeclaredOperation[], awaitedPrefixes: readonly string[]) => Promise<void>
  /** With the console's own document, which is all there is so far. */
  begin: (own: string) => void
  /** Serves a document from the moment it is there. */
  serve: (document: Promise<ServedDocument>) => Promise<void>
  /** Something is on its way that will bring another document. */
  expect: UnderWay['track']
  /** Whoever asks while another is expected gets that. */
  document: () => Promise<ServedDocument>
}

/** Nobody waits longer for a new document than this: he gets the one before. */
const DOCUMENT_PATIENCE_MS = 5_000

export function createPublication(log: Logger, awaitedPrefixes: readonly string[]): Publication {
  const mounted = { current: createMountedTable([], awaitedPrefixes) }
  let served = toServed('')
  const expected = createUnderWay()
  const serve = async (document: Promise<ServedDocument>) => {
    served = await document
  }
  return {
    mounted,
    expect: expected.track,
    mount: async (...declared) => {
      const table = await createMountedTableInTurns(...declared)
      for (const { operation, reason } of table.refused) log.error({ service: operation.service }, reason)
      mounted.current = table
    },
    begin: (own) => {
      served = toServed(own)
    },
    serve: (document) => expected.track(serve(document)),
    document: async () => {
      await withTimeout(DOCUMENT_PATIENCE_MS, expected.all(), undefined)
      return served
    },
  }
}
