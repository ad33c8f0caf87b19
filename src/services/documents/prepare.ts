import type { Service } from '../service.ts'
import { lift, requireKnownVersion } from './lift.ts'
import { settleLinks } from './links.ts'
import { mend } from './mend.ts'
import { neutralise } from './neutral.ts'
import { operationIdsOf } from './operation-ids.ts'
import { selectOperations } from './operations.ts'
import type { Prepared } from './prepared.ts'
import type { Outline } from './protocol.ts'
import { DocumentBroken, readDocument } from './read.ts'
import { type Components, checkReferences, componentAt, createGraph, split } from './references.ts'
import { renameComponents } from './rename.ts'
import { type Node, nodeAt, textOf } from './tree.ts'

const MOST_FAULTS = 20

/** What of a service's document can be mounted. Throws a DocumentBroken that says why nothing can. */
export function outline(service: Service, bytes: Uint8Array): Outline {
  const document = readDocument(bytes)
  requireKnownVersion(document)
  checkReferences(document)
  const { operations } = selectOperations(document, service)
  return {
    service: service.name,
    operations,
    operationIds: operations.map(({ operationId }) => operationId),
  }
}

/** A service's document as it can be combined with others: 3.1, only what is mounted, passing the linter. Throws a
 * DocumentBroken that says why it cannot. */
export async function prepare(service: Service, bytes: Uint8Array): Promise<Prepared> {
  const document = lift(readDocument(bytes))
  checkReferences(document)
  neutralise(document)
  const { paths, operations, leftOut } = selectOperations(document, service)
  settleLinks(document, paths, new Set(operations.map(({ operationId }) => operationId)))
  const components = selectComponents(document, paths)
  if (operations.length > 0) await makeItPass(service, paths, components)
  const info = nodeAt(document, 'info')
  const title = textOf(info['title'], service.name)
  return {
    service: service.name,
    tag: { name: service.tag, description: `Operations of ${title}` },
    title,
    version: textOf(info['version']),
    paths,
    components,
    operations,
    operationIds: operationIdsOf({ ...paths, '': components }),
    leftOut,
  }
}

/** What the paths refer to, under names that a component may have. */
function selectComponents(document: Node, paths: Node): Record<string, Node> {
  const all = nodeAt(document, 'components') as Components
  const selected: Record<string, Node> = {}
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const key of createGraph(all).reachedFrom(paths)) {
    const [section, name] = split(key)
    // An author may call a section `constructor`, which every object has.
    const members = Object.hasOwn(selected, section) ? (selected[section] as Node) : {}
    selected[section] = members
    members[name] = componentAt(all, key)
    let spelled = name.replaceAll(/[^\w.-]+/g, '_')
    if (spelled === name) continue
    const isTaken = () =>
      componentAt(all, `${section}/${spelled}`) !== undefined || taken.has(`${section}/${spelled}`)
    while (isTaken()) spelled += '_'
    taken.add(`${section}/${spelled}`)
    names.set(key, spelled)
  }
  return names.size > 0 ? renameComponents(paths, selected, names) : selected
}

/** Linted alone, as it will stand among others: combining changes names and nothing that a rule looks at. */
async function makeItPass(service: Service, paths: Node, components: Record<string, Node>): Promise<void> {
  const problems = await mend({
    openapi: '3.1.0',
    info: { title: service.name, version: '0', license: { name: 'none', identifier: 'none' } },
    servers: [],
    security: [],
    tags: [{ name: service.tag, description: service.name }],
    paths,
    components: { ...components, securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  })
  if (problems.length === 0) return
  const faults = problems.map(({ message, pointer }) => `${message.trim()} (${pointer})`)
  throw new DocumentBroken(...new Set(faults.slice(0, MOST_FAULTS)))
}
