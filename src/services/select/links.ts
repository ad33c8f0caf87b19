import { isNode, type Node, resolve, segmentsOf, valueAt } from '../document/tree.ts'

/** Inlines the links of a response and drops links to operations that are not mounted. */
export function createLinkSelection(document: Node, paths: Node, operationIds: ReadonlySet<unknown>) {
  const isMounted = ({ operationId, operationRef }: Node) =>
    typeof operationRef === 'string'
      ? operationRef.startsWith('#/paths/') && valueAt({ paths }, segmentsOf(operationRef)) !== undefined
      : operationIds.has(operationId)
  return (node: Node): void => {
    if (!isNode(node['links'])) return
    const links = Object.entries(node['links']).flatMap(([name, declared]) => {
      const { server: _, ...link } = structuredClone(resolve(document, declared)) ?? {}
      return isMounted(link) ? [[name, link]] : []
    })
    node['links'] = Object.fromEntries(links)
  }
}
