import type { DeclaredOperation } from '../operation.ts'
import { camelCase, capitalised } from './spelling.ts'
import { isNode, type Node, walk } from './tree.ts'

/** What has operations, and the ids of all that it declares: callbacks have them as well. */
interface Declaring {
  readonly service: string
  readonly operationIds: readonly string[]
}

export function operationIdsOf(paths: Node): string[] {
  const ids: string[] = []
  walk(Object.values(paths), ({ operationId, responses }) => {
    if (typeof operationId === 'string' && isNode(responses)) ids.push(operationId)
  })
  return ids
}

/** By service, another id for each operation whose own is taken: by the console, or by a service before it. */
export function nameOperations(
  own: Iterable<string>,
  services: readonly Declaring[],
): Map<string, Map<string, string>> {
  const taken = new Set(own)
  return new Map(
    services.map(({ service, operationIds }) => {
      const renamed = new Map<string, string>()
      const given = new Set<string>()
      const declared = new Set(operationIds)
      for (const id of declared) {
        let free = id
        if (taken.has(id)) free = camelCase(service) + capitalised(id)
        while (taken.has(free) || given.has(free) || (free !== id && declared.has(free))) free += '_'
        if (free === id) continue
        given.add(free)
        renamed.set(id, free)
      }
      for (const id of declared) taken.add(renamed.get(id) ?? id)
      return [service, renamed]
    }),
  )
}

/** All operations, under the ids that they have together. */
export function namedOperations(
  own: Iterable<string>,
  services: readonly (Declaring & { readonly operations: readonly DeclaredOperation[] })[],
): DeclaredOperation[] {
  const ids = nameOperations(own, services)
  return services.flatMap(({ service, operations }) =>
    operations.map((operation) => ({
      ...operation,
      operationId: ids.get(service)?.get(operation.operationId) ?? operation.operationId,
    })),
  )
}
