import { createHash } from 'node:crypto'
import { type Components, componentAt, createReach } from './references.ts'
import { pointerTo } from './tree.ts'

/** By component: `schemas/Report`. */
export type Fingerprints = Readonly<Record<string, string>>

/** For each component a text that stands for it and all that it refers to: two components are the same only if all of it
 * is. */
export function fingerprintsOf(components: Components): Fingerprints {
  const reach = createReach(components)
  const own = new Map<string, string>()
  const ownOf = (key: string) => {
    const found = own.get(key) ?? hash(key, JSON.stringify(componentAt(components, key)))
    own.set(key, found)
    return found
  }
  return Object.fromEntries(
    Object.entries(components).flatMap(([section, members]) =>
      Object.keys(members).map((name) => {
        const all = reach({ $ref: pointerTo('components', section, name) })
        return [`${section}/${name}`, hash(...[...all].toSorted().map(ownOf))] as const
      }),
    ),
  )
}

function hash(...parts: string[]): string {
  const hash = createHash('sha1')
  for (const part of parts) hash.update(part).update('\n')
  return hash.digest('base64')
}
