import { readFileSync } from 'node:fs'

/** An entry of package-lock.json, by its place: `node_modules/a/node_modules/b`. */
export interface LockedPackage {
  name?: string
  version?: string
  license?: string
  integrity?: string
  dev?: boolean
  /** A workspace. */
  link?: boolean
  resolved?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

export type Lock = Record<string, LockedPackage>

export function readLock(): Lock {
  const text = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { packages: Lock }).packages
}

/** The packages that a package needs at run time, by name, with their places. */
export function dependenciesOf(lock: Lock, place: string): Map<string, string> {
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = lock[place] ?? {}
  const found = new Map<string, string>()
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
    const target = resolve(lock, place, name)
    if (target !== undefined) found.set(name, target)
    else if (name in dependencies || (name in peerDependencies && !peerDependenciesMeta[name]?.optional))
      throw new Error(`package-lock.json has no ${name}, which ${place || 'the project'} needs`)
  }
  return found
}

/** Where a package finds another one: in its own folder, or in one above, as Node looks for it. */
function resolve(lock: Lock, place: string, name: string): string | undefined {
  for (let folder = place; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const candidate = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    const found = lock[candidate]
    if (found) return found.link ? found.resolved : candidate
    if (folder === '') return undefined
  }
}

/** A package and everything that it needs at run time, by place. */
export function closureOf(lock: Lock, ...starts: string[]): string[] {
  const seen = new Set<string>()
  const visit = (place: string) => {
    if (seen.has(place)) return
    seen.add(place)
    for (const target of dependenciesOf(lock, place).values()) visit(target)
  }
  for (const start of starts) visit(start)
  return [...seen].toSorted()
}

export const nameOf = (lock: Lock, place: string) =>
  lock[place]?.name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)

export const isInstalled = (place: string) => place.includes('node_modules/')
