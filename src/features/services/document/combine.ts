import { createHash } from 'node:crypto'
import { problemResponses } from '../../../api/operation.ts'
import type { ProblemCode } from '../../../api/problem-codes.ts'
import type { Service } from '../../../config/services-file.ts'
import { isObject } from '../../../platform/json.ts'
import {
  type Components,
  type DeclaredOperation,
  DocumentInvalid,
  listAt,
  type Node,
  nodeAt,
  type PublishedParts,
  pointerTo,
  type Tag,
  textOf,
  walk,
} from './document.ts'
import { cleanText, escapeText, readDocument } from './read.ts'
import { componentKeys, Renaming, selectComponents, selectLinks } from './rename.ts'
import { type SelectedOperation, selectOperations } from './select.ts'

/** A document as it is served, from memory. */
export interface ServedDocument {
  readonly bytes: Uint8Array
  /** A strong validator (RFC 9110 section 8.8.1). */
  readonly etag: string
}

/** Joins the console's own document and those of all services. Published names never collide, so a merge is enough. */
export function combine(own: Node, services: readonly PublishedParts[]): Node {
  if (services.length === 0) return own
  const components: Components = { ...(nodeAt(own, 'components') as Components) }
  for (const added of [{ responses: consoleResponses() }, ...services.map((service) => service.components)]) {
    for (const [section, members] of Object.entries(added)) {
      components[section] = Object.assign({ ...components[section] }, members)
    }
  }
  const paths = Object.assign({}, nodeAt(own, 'paths'), ...services.map((service) => service.paths)) as Node
  return { ...own, ...combineTags(own, services), paths, components }
}

function combineTags(own: Node, services: readonly PublishedParts[]) {
  const tags = new Map((listAt(own, 'tags') as Tag[]).map((tag) => [tag.name, tag]))
  const groups = new Map((listAt(own, 'x-tagGroups') as TagGroup[]).map((group) => [group.name, group.tags]))
  for (const { area, tag, paths } of services) {
    if (Object.keys(paths).length === 0) continue
    tags.set(tag.name, tag)
    if (!tags.has(area)) tags.set(area, { ...tag, name: area })
    groups.set(area, [...(groups.get(area) ?? []), tag.name])
  }
  return {
    tags: [...tags.values()],
    'x-tagGroups': [...groups].map(([name, names]) => ({ name, tags: names })),
  }
}

interface TagGroup {
  name: string
  tags: string[]
}

export function toServed(text: string): ServedDocument {
  const bytes = new TextEncoder().encode(text)
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
}

/** The errors that the console itself returns for a mounted operation. */
const CODES: ProblemCode[] = [
  'bad_request',
  'unauthenticated',
  'invalid_token',
  'permission_missing',
  'team_missing',
  'team_ambiguous',
  'team_not_yours',
  'user_missing',
  'not_found',
  'request_timeout',
  'body_too_large',
  'too_many_requests',
  'request_budget_exceeded',
  'internal',
  'upstream_failed',
  'token_exchange_failed',
  'issuer_unavailable',
  'overloaded',
  'token_exchange_unavailable',
  'upstream_unavailable',
  'upstream_timeout',
]
const CONSOLE_RESPONSES = problemResponses(...CODES)

/** `components.responses` of the combined document: `Console401`, `Console503` and the others. */
function consoleResponses(): Node {
  const toHeader = ([name, { description, ...schema }]: [string, Node]) => [name, { description, schema }]
  return Object.fromEntries(
    Object.entries(CONSOLE_RESPONSES).map(([status, { description, headers, content }]) => {
      const { examples } = nodeAt(content, 'application/json')
      const body = { schema: { $ref: pointerTo('components', 'schemas', 'Problem') }, examples }
      const declared = Object.fromEntries(Object.entries(headers).map(toHeader))
      return [`Console${status}`, { description, headers: declared, content: { 'application/json': body } }]
    }),
  )
}

/** Declares the responses of the console that the operations may get and do not declare themselves. */
function addConsoleResponses(operations: readonly SelectedOperation[]): void {
  for (const { declared, node } of operations) {
    const responses = nodeAt(node, 'responses')
    const isDeclared = (...keys: string[]) => keys.some((key) => Object.hasOwn(responses, key))
    const hasBody = isObject(node['requestBody'])
    const mayGet: Record<string, boolean> = {
      // A path has a parameter once.
      400: declared.agent !== undefined && declared.agent.in !== 'path',
      // Many services declare their own 404 under `4XX` or `default`.
      404: declared.path.includes('{') && !isDeclared('4XX', 'default'),
      408: hasBody,
      413: hasBody,
    }
    const added = Object.keys(CONSOLE_RESPONSES)
      .filter((status) => (mayGet[status] ?? true) && !isDeclared(status))
      .map((status) => [status, { $ref: pointerTo('components', 'responses', `Console${status}`) }])
    node['responses'] = { ...Object.fromEntries(added), ...responses }
  }
}

/** A service's document after all stages that concern it alone. */
export interface PreparedParts extends PublishedParts {
  title: string
  version: string
  operations: DeclaredOperation[]
  leftOut: string[]
}

/** Reads, upgrades, validates, selects, cleans and names. Throws DocumentInvalid with the reasons why a document cannot
 * be used. `reserved` are the console's own components, such as `schemas/Agent`. */
export function prepareParts(
  service: Service,
  bytes: Uint8Array,
  reserved: readonly string[],
): PreparedParts {
  const document = readDocument(bytes)
  const { paths, operations: selected, leftOut } = selectOperations(document, service)
  const parts = { paths, components: selectComponents(document, paths) }
  const operationIds = new Set(selected.map(({ node }) => node['operationId']))
  const keepMountedLinks = selectLinks(document, paths, operationIds)
  const renaming = new Renaming(service.name, parts, selected)
  // One walk for all three stages, because walking takes as long as the work itself.
  walk(parts, (node) => {
    keepMountedLinks(node)
    cleanText(node)
    renaming.visit(node)
  })
  const components = renaming.finish()
  refuseReserved(componentKeys(components), reserved)
  addConsoleResponses(selected)

  const info = nodeAt(document, 'info')
  const title = escapeText(textOf(info['title']))
  return {
    area: service.tag,
    tag: { name: service.name, description: `Operations of ${title}` },
    title,
    version: textOf(info['version']),
    paths,
    components,
    operations: renaming.operations,
    leftOut,
  }
}

function refuseReserved(keys: readonly string[], reserved: readonly string[]): void {
  const taken = keys.filter((key) => reserved.includes(key))
  if (taken.length === 0) return
  throw new DocumentInvalid(...taken.map((key) => `It would publish ${key}, which is the console's own.`))
}
