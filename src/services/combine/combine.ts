import { createHash } from 'node:crypto'
import type { Components, PublishedParts } from '../document/prepared.ts'
import { type Node, nodeAt } from '../document/tree.ts'
import { consoleResponses } from '../select/console-responses.ts'

export interface Tag {
  readonly name: string
  readonly description: string
}

/** A document as it is served, from memory. */
export interface ServedDocument {
  readonly bytes: Uint8Array
  /** A strong validator (RFC 9110 section 8.8.1). */
  readonly etag: string
}

/** Joins the console's own document and those of all services. Published names never collide, so a merge is enough. */
export function combine(own: Node, services: readonly (PublishedParts & { tag: Tag })[]): Node {
  if (services.length === 0) return own
  const components: Components = { ...(nodeAt(own, 'components') as Components) }
  for (const added of [{ responses: consoleResponses() }, ...services.map((service) => service.components)]) {
    for (const [section, members] of Object.entries(added)) {
      components[section] = Object.assign({ ...components[section] }, members)
    }
  }
  const tags = new Map(((own['tags'] ?? []) as Tag[]).map((tag) => [tag.name, tag]))
  for (const { tag, paths } of services) {
    if (Object.keys(paths).length > 0 && !tags.has(tag.name)) tags.set(tag.name, tag)
  }
  const paths = Object.assign({}, nodeAt(own, 'paths'), ...services.map((service) => service.paths)) as Node
  return { ...own, tags: [...tags.values()], paths, components }
}

export function toServed(text: string): ServedDocument {
  const bytes = new TextEncoder().encode(text)
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
}
