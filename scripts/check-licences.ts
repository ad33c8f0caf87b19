import { readFileSync } from 'node:fs'

/** May be part of what we ship: no duty but to keep the notice. */
const PERMISSIVE = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
]
/** The server, the command line, the SDK, and what the browser console bundles, fonts among it. */
const SHIPPED = [...PERMISSIVE, 'OFL-1.1']
/** Tools. */
const FOR_DEVELOPMENT = [...PERMISSIVE, 'MPL-2.0', 'Python-2.0']

/** An entry of package-lock.json, by its place: `node_modules/a/node_modules/b`. */
interface LockedPackage {
  version?: string
  license?: string
  /** Only development needs it. */
  dev?: boolean
  /** A workspace. */
  link?: boolean
}

export type Lock = Record<string, LockedPackage>

export function readLock(): Lock {
  const text = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { packages: Lock }).packages
}

/** A line for each package whose licence is missing or not allowed. */
export function findLicenceFaults(lock: Lock): string[] {
  return Object.entries(lock)
    .filter(([place, { link }]) => place.includes('node_modules/') && !link)
    .flatMap(([place, { version, license, dev }]) => {
      const isFine = dev ? (text: string) => isAllowed(text, FOR_DEVELOPMENT) : isShippable
      if (license !== undefined && isFine(license)) return []
      const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
      return [`${name} ${version}: ${license ?? 'no licence'}`]
    })
}

/** Whether a package with this licence may be part of what we ship. */
export const isShippable = (expression: string) => isAllowed(expression, SHIPPED)

/** Of `A OR B` one must be allowed, of `A AND B` both. */
function isAllowed(expression: string, allowed: string[]): boolean {
  return expression
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((alternative) => alternative.split(' AND ').every((each) => allowed.includes(each)))
}

if (import.meta.main) {
  const faults = findLicenceFaults(readLock())
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  if (faults.length > 0) process.exitCode = 1
}
