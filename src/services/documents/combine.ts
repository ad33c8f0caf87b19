import { consoleAnswerName, consoleAnswers } from './console-answers.ts'
import { nameOperations, operationIdsOf } from './operation-ids.ts'
import type { Prepared, PreparedOperation } from './prepared.ts'
import { type ComponentGraph, createGraph, split, spread } from './references.ts'
import { renameComponents } from './rename.ts'
import { findDifferent } from './same.ts'
import { capitalised, pascalCase } from './spelling.ts'
import { copyOf, type Node, nodeAt, pointerTo, walk } from './tree.ts'

/** By component of the combined document, the document that says what it is; undefined where renaming has changed what it
 * refers to, so that none does. */
type Placed = Map<string, ComponentGraph | undefined>

/** One document of the console's own and those of its services. What is the console's stays as it is, to the byte; of
 * two services that give different things the same name, the later one's is renamed. */
export function combine(own: Node, services: readonly Prepared[]): Node {
  const paths = { ...nodeAt(own, 'paths') }
  const components = copyOf(nodeAt(own, 'components')) as Record<string, Node>
  const tags = [...((own['tags'] as { name: string }[] | undefined) ?? [])]
  const statuses = services.flatMap((service) => service.operations.flatMap((one) => one.consoleStatuses))
  if (statuses.length > 0)
    components['responses'] = { ...components['responses'], ...consoleAnswers(new Set(statuses)) }

  const ids = nameOperations(operationIdsOf(paths), services)
  const ownGraph = createGraph({ ...components })
  const placed: Placed = new Map(ownGraph.keys.map((key) => [key, ownGraph]))

  for (const service of services) {
    const graph = createGraph(service.components)
    const names = namesFor(service, graph, placed)
    const copy = copyOf({ paths: service.paths, components: service.components })
    const renamed = renameComponents(copy.paths, copy.components, names)
    renameOperations([copy.paths, renamed], ids.get(service.service))
    for (const [section, members] of Object.entries(renamed)) {
      // What is there already is the same.
      const added = Object.entries(members).filter(([name]) => !placed.has(`${section}/${name}`))
      components[section] = { ...components[section], ...Object.fromEntries(added) }
    }
    place(graph, names, placed)
    for (const operation of service.operations) referToConsoleAnswers(copy.paths, operation)
    Object.assign(paths, copy.paths)
    if (service.operations.length > 0 && !tags.some(({ name }) => name === service.tag.name))
      tags.push(service.tag)
  }
  return { ...own, tags, paths, components }
}

/** Another name for each component whose own means something else already. */
function namesFor({ service }: Prepared, graph: ComponentGraph, placed: Placed): Map<string, string> {
  const names = new Map<string, string>()
  const given = new Set<string>()
  const different = new Map<ComponentGraph, Set<string>>()
  const meansTheSame = (known: ComponentGraph, key: string) => {
    const found = different.get(known) ?? findDifferent(known, graph)
    different.set(known, found)
    return !found.has(key)
  }
  for (const key of graph.keys) {
    const known = placed.get(key)
    if (!placed.has(key) || (known && meansTheSame(known, key))) continue
    const [section, name] = split(key)
    let renamed = pascalCase(service) + capitalised(name)
    const isTaken = (key: string) => placed.has(key) || given.has(key) || graph.at(key) !== undefined
    while (isTaken(`${section}/${renamed}`)) renamed += '_'
    given.add(`${section}/${renamed}`)
    names.set(key, renamed)
  }
  return names
}

/** What was renamed, or refers to something that was, is no longer what its document says. */
function place(graph: ComponentGraph, names: ReadonlyMap<string, string>, placed: Placed): void {
  const changed = spread(names.keys(), graph.namersOf)
  for (const key of graph.keys) {
    const [section, name] = split(key)
    placed.set(`${section}/${names.get(key) ?? name}`, changed.has(key) ? undefined : graph)
  }
}

/** Where an operation is declared, and where a link leads to it. */
function renameOperations(parts: unknown, ids: ReadonlyMap<string, string> = new Map()): void {
  if (ids.size === 0) return
  walk(parts, (node) => {
    const id = ids.get(String(node['operationId']))
    if (id !== undefined) node['operationId'] = id
  })
}

function referToConsoleAnswers(paths: Node, { path, method, consoleStatuses }: PreparedOperation): void {
  const responses = nodeAt(nodeAt(nodeAt(paths, path), method.toLowerCase()), 'responses')
  for (const status of consoleStatuses) {
    responses[status] = { $ref: pointerTo('components', 'responses', consoleAnswerName(status)) }
  }
}
