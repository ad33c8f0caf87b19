import { spelledId } from './operations.ts'
import { copyOf, isNode, type Node, nodeAt, resolve, segmentsOf, valueAt, walk } from './tree.ts'

/** Writes links where they are used, and leaves out those to an operation that is not mounted. */
export function settleLinks(document: Node, paths: Node, operationIds: ReadonlySet<string>): void {
  const leads = ({ operationId, operationRef }: Node) =>
    typeof operationRef === 'string'
      ? operationRef.startsWith('#/paths/') && valueAt({ paths }, segmentsOf(operationRef)) !== undefined
      : operationIds.has(spelledId(operationId))
  walk([paths, nodeAt(document, 'components')], (node) => {
    if (!isNode(node['links'])) return
    const links = Object.entries(node['links']).flatMap(([name, declared]) => {
      const { operationId, server: _, ...link } = copyOf(resolve(document, declared)) ?? {}
      if (!leads({ ...link, operationId })) return []
      return [
        [name, { ...link, ...(operationId === undefined ? {} : { operationId: spelledId(operationId) }) }],
      ]
    })
    node['links'] = Object.fromEntries(links)
  })
}
