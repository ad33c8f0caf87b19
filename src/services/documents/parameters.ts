import { METHODS } from './methods.ts'
import { isNode, listAt, type Node, resolve, textOf } from './tree.ts'

/** What applies to an operation: the parameters of its path and its own. */
export function parametersOf(document: Node, item: Node, operation: Node): Node[] {
  return [...listAt(item, 'parameters'), ...listAt(operation, 'parameters')].flatMap((parameter) => {
    const resolved = resolve(document, parameter)
    return resolved ? [resolved] : []
  })
}

/** The parameters of a path as its template has them: some leave one to the template, some declare another. */
export function withParameters(document: Node, path: string, item: Node): Node {
  const names = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name as string)
  const declared = (holder: Node) =>
    listAt(holder, 'parameters').filter((parameter) => {
      const { in: place, name } = resolve(document, parameter) ?? {}
      return place !== 'path' || names.includes(textOf(name))
    })
  const complete: Node = { ...item, parameters: declared(item) }
  for (const method of METHODS) {
    if (!isNode(item[method])) continue
    const operation: Node = { ...item[method], parameters: declared(item[method]) }
    const known = parametersOf(document, complete, operation).filter(
      (parameter) => parameter['in'] === 'path',
    )
    const missing = names.filter((name) => !known.some((parameter) => parameter['name'] === name))
    operation['parameters'] = [
      ...listAt(operation, 'parameters'),
      ...missing.map((name) => ({ in: 'path', name, required: true, schema: { type: 'string' } })),
    ]
    complete[method] = operation
  }
  return complete
}
