import type { DeclaredOperation } from '../operation.ts'
import { consoleAnswerName, consoleAnswers } from './console-answers.ts'
import { fingerprintsOf } from './fingerprints.ts'
import type { Prepared } from './prepared.ts'
import { createReach, split } from './references.ts'
import { renameComponents } from './rename.ts'
import { copyOf, isNode, type Node, nodeAt, pointerTo, walk } from './tree.ts'

export interface Combined {
  readonly document: Node
  readonly operations: DeclaredOperation[]
}

/** By component of the combined document, its fingerprint where it has one. */
type Placed = Map<string, string | undefined>

/** One document of the console's own and those of its services. What is the console's stays as it is, to the byte; of
 * two services that give different things the same name, the later one's is renamed. */
export function combine(own: Node, services: readonly Prepared[]): Combined {
  const paths = { ...nodeAt(own, 'paths') }
  const components = copyOf(nodeAt(own, 'components')) as Record<string, Node>
  const tags = [...((own['tags'] as { name: string }[] | undefined) ?? [])]
  const operations: DeclaredOperation[] = []
  const taken = new Set(operationIdsOf(paths))
  const statuses = services.flatMap((service) => service.operations.flatMap((one) => one.consoleStatuses))
  if (statuses.length > 0)
    components['responses'] = { ...components['responses'], ...consoleAnswers(new Set(statuses)) }

  const placed: Placed = new Map(Object.entries(fingerprintsOf(components)))

  for (const service of services) {
    const names = namesFor(service, placed)
    place(service, names, placed)
    const ids = idsFor(service, taken)
    const copy = copyOf({ paths: service.paths, components: service.components })
    const renamed = renameComponents(copy.paths, copy.components, names)
    renameOperations([copy.paths, renamed], ids)
    for (const [section, members] of Object.entries(renamed)) {
      components[section] = { ...components[section], ...members }
    }
    for (const { consoleStatuses, ...operation } of service.operations) {
      const responses = nodeAt(
        nodeAt(nodeAt(copy.paths, operation.path), operation.method.toLowerCase()),
        'responses',
      )
      for (const status of consoleStatuses) {
        responses[status] = { $ref: pointerTo('components', 'responses', consoleAnswerName(status)) }
      }
      operations.push({ ...operation, operationId: ids.get(operation.operationId) ?? operation.operationId })
    }
    Object.assign(paths, copy.paths)
    if (service.operations.length > 0 && !tags.some(({ name }) => name === service.tag.name))
      tags.push(service.tag)
  }
  return { document: { ...own, tags, paths, components }, operations }
}

/** Another name for each component whose own means something else already. */
function namesFor(service: Prepared, placed: Placed): Map<string, string> {
  const names = new Map<string, string>()
  const given = new Set<string>()
  for (const [key, fingerprint] of Object.entries(service.fingerprints)) {
    if (!placed.has(key) || placed.get(key) === fingerprint) continue
    const [section, name] = split(key)
    let renamed = pascal(service.service) + upper(name)
    const isTaken = (name: string) =>
      placed.has(name) || given.has(name) || Object.hasOwn(service.fingerprints, name)
    while (isTaken(`${section}/${renamed}`)) renamed += '_'
    given.add(`${section}/${renamed}`)
    names.set(key, renamed)
  }
  return names
}

/** What was renamed, or refers to something that was, is no longer what its fingerprint says. */
function place(service: Prepared, names: ReadonlyMap<string, string>, placed: Placed): void {
  const reach = createReach(service.components)
  const renamed = new Set(names.keys())
  for (const [key, fingerprint] of Object.entries(service.fingerprints)) {
    const [section, name] = split(key)
    const isChanged =
      renamed.size > 0 && !reach({ $ref: pointerTo('components', section, name) }).isDisjointFrom(renamed)
    placed.set(`${section}/${names.get(key) ?? name}`, isChanged ? undefined : fingerprint)
  }
}

function operationIdsOf(paths: Node): string[] {
  const ids: string[] = []
  walk(Object.values(paths), ({ operationId, responses }) => {
    if (typeof operationId === 'string' && isNode(responses)) ids.push(operationId)
  })
  return ids
}

/** The callbacks of an operation have ids as well. */
function idsFor(service: Prepared, taken: Set<string>): Map<string, string> {
  const renamed = new Map<string, string>()
  const given = new Set<string>()
  const declared = operationIdsOf({ ...service.paths, '': service.components })
  for (const id of declared) {
    let free = id
    if (taken.has(id)) free = camel(service.service) + upper(id)
    while (taken.has(free) || given.has(free) || (free !== id && declared.includes(free))) free += '_'
    if (free === id) continue
    given.add(free)
    renamed.set(id, free)
  }
  for (const id of declared) taken.add(renamed.get(id) ?? id)
  return renamed
}

/** Where an operation is declared, and where a link leads to it. */
function renameOperations(parts: unknown, ids: ReadonlyMap<string, string>): void {
  walk(parts, (node) => {
    const id = ids.get(String(node['operationId']))
    if (id !== undefined) node['operationId'] = id
  })
}

const upper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const pascal = (name: string) => name.split('-').map(upper).join('')
const camel = (name: string) => {
  const [first = '', ...rest] = name.split('-')
  return first + rest.map(upper).join('')
}
