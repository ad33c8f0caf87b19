import type { Documents } from '../documents/documents.ts'
import { namedOperations, operationIdsOf } from '../documents/operation-ids.ts'
import { type Node, nodeAt } from '../documents/tree.ts'
import type { Publication } from '../publication.ts'
import type { Answers } from './answers.ts'
import { coalesce } from './coalesce.ts'
import { createUnderWay } from './under-way.ts'
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
  begin: (own: string) => void
  /** Puts all operations that are known in use. */
  mount: () => Promise<void>
  /** The same, and the document that declares those of good documents. */
  publish: () => Promise<void>
}

export function createPublisher({ watches, documents, answers, publication }: PublisherOptions): Publisher {
  const outlining = createUnderWay()
  const preparing = createUnderWay()
  const own = { text: '', operationIds: [] as string[] }

  const mount = coalesce(async () => {
    await outlining.settled()
    const known = watches.filter((watch) => declarationOf(watch) !== undefined)
    const operations = namedOperations(
      own.operationIds,
      known.flatMap((watch) => declarationOf(watch) ?? []),
    )
    answers.mount(operations, watches.flatMap(goodOf))
    await publication.mount(operations)
    for (const watch of watches) watch.isMounted = known.includes(watch)
    for (const { mountedOnce } of known) mountedOnce.resolve()
  })
  const publish = coalesce(async () => {
    await preparing.settled()
    const combined = documents.combine(own.text, watches.flatMap(goodOf))
    await publication.serve(Promise.all([combined, mount()]).then(([document]) => document))
  })
  return {
    mount,
    publish,
    documents: {
      ...documents,
      outline: (...args) => outlining.track(documents.outline(...args)),
      prepare: (...args) => preparing.track(documents.prepare(...args)),
    },
    begin: (text) => {
      own.text = text
      own.operationIds = operationIdsOf(nodeAt(JSON.parse(text) as Node, 'paths'))
    },
  }
}

const goodOf = ({ candidate, adopted }: Watch) => candidate ?? adopted ?? []

const declarationOf = ({ candidate, adopted, outline }: Watch) => candidate ?? adopted ?? outline
