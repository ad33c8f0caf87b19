import type { Documents } from '../documents/documents.ts'
import { namedOperations, operationIdsOf } from '../documents/operation-ids.ts'
import type { Outline, Readied } from '../documents/protocol.ts'
import { type Node, nodeAt } from '../documents/tree.ts'
import type { Publication } from '../publication.ts'
import { createUnderWay, type UnderWay } from '../under-way.ts'
import type { Answers } from './answers.ts'
import { coalesce } from './coalesce.ts'
import type { Watch } from './watch.ts'

export interface PublisherOptions {
  watches: readonly Watch[]
  documents: Documents
  answers: Answers
  publication: Publication
}

/** Brings what is in use in line with what is known of the services. Documents that come together are mounted together and
 * combined together, each once. */
export interface Publisher {
  /** To read by: it waits for what is being read. */
  documents: Documents
  /** With the console's own document. */
  begin: (own: string) => void
  /** Mounts the operations of all documents in use. */
  mount: () => Promise<void>
  /** Puts all good documents in use: their operations, and the document that declares them together. */
  publish: () => Promise<void>
  /** Something is on its way that will bring another document. */
  expect: UnderWay['track']
}

export function createPublisher({ watches, documents, answers, publication }: PublisherOptions): Publisher {
  const outlining = createUnderWay()
  const preparing = createUnderWay()
  const own = { text: '', operationIds: [] as string[] }

  const mount = coalesce(async () => {
    await outlining.settled()
    const known = watches.filter((watch) => watch.inUse !== undefined)
    const unknown = watches.filter((watch) => watch.inUse === undefined)
    const inUse = known.flatMap((watch) => watch.inUse ?? [])
    const operations = namedOperations(own.operationIds, inUse)
    answers.mount(operations, inUse.filter(isReadied))
    await publication.mount(
      operations,
      unknown.flatMap(({ service }) => service.prefixes),
    )
    for (const { mountedOnce } of known) mountedOnce.resolve()
  })
  const publish = coalesce(async () => {
    await preparing.settled()
    const good = watches.flatMap(({ candidate, adopted }) => candidate ?? adopted ?? [])
    const combined = documents.combine(own.text, good)
    // Not sooner: until here nobody has to wait for the document.
    for (const watch of watches) watch.inUse = watch.candidate ?? watch.inUse
    await publication.serve(Promise.all([combined, mount()]).then(([document]) => document))
  })
  return {
    mount,
    publish,
    expect: publication.expect,
    documents: {
      ...documents,
      outline: (...args) => outlining.track(documents.outline(...args)),
      prepare: (...args) => preparing.track(documents.prepare(...args)),
    },
    begin: (text) => {
      publication.begin(text)
      own.text = text
      own.operationIds = operationIdsOf(nodeAt(JSON.parse(text) as Node, 'paths'))
    },
  }
}

function isReadied(known: Outline | Readied): known is Readied {
  return 'prepared' in known
}
