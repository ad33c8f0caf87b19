import { closureOf, isInstalled, type Lock, nameOf, readLock } from './sbom/lock.ts'

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
/** Tools that are not shipped, and fonts, which are. */
const FOR_DEVELOPMENT = [...PERMISSIVE, 'MPL-2.0', 'OFL-1.1', 'Python-2.0']

/** A line for each package whose licence is missing or not allowed. */
export function findLicenceFaults(lock: Lock): string[] {
  const shipped = new Set(closureOf(lock, '', 'cli', 'sdk'))
  return Object.entries(lock)
    .filter(([place, { link }]) => isInstalled(place) && !link)
    .flatMap(([place, { version, license }]) => {
      const allowed = shipped.has(place) ? PERMISSIVE : FOR_DEVELOPMENT
      if (license !== undefined && isAllowed(license, allowed)) return []
      return [`${nameOf(lock, place)} ${version}: ${license ?? 'no licence'}`]
    })
}

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
