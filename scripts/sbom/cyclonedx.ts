import { closureOf, dependenciesOf, isInstalled, type Lock, nameOf } from './lock.ts'

export interface Bom {
  components: { name: string; group?: string; version: string; purl: string }[]
  dependencies: { ref: string; dependsOn: string[] }[]
  [other: string]: unknown
}

/** The software bill of materials of the server in CycloneDX 1.6: what the image contains of npm. It depends on the lock
 * file alone, so that the same lock file has the same bill. */
export function makeBom(lock: Lock): Bom {
  const places = closureOf(lock, '')
  // The same version may be installed in two places.
  const byPurl = new Map(places.filter(isInstalled).map((place) => [purlOf(lock, place), place]))
  const dependencies = new Map<string, Set<string>>()
  for (const place of places) {
    const ref = purlOf(lock, place)
    const targets = dependencies.get(ref) ?? new Set()
    for (const target of dependenciesOf(lock, place).values()) targets.add(purlOf(lock, target))
    dependencies.set(ref, targets)
  }
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: { type: 'application', 'bom-ref': purlOf(lock, ''), ...describe(lock, '') },
    },
    components: [...byPurl].map(([purl, place]) => ({
      type: 'library',
      'bom-ref': purl,
      ...describe(lock, place),
    })),
    dependencies: [...dependencies].map(([ref, targets]) => ({ ref, dependsOn: [...targets].toSorted() })),
  }
}

function describe(lock: Lock, place: string) {
  const [name = '', group] = nameOf(lock, place).split('/').toReversed()
  const { version = '', license, integrity = '' } = lock[place] ?? {}
  const [, digest] = /^sha512-(\S+)$/.exec(integrity) ?? []
  return {
    ...(group === undefined ? {} : { group }),
    ...{ name, version, purl: purlOf(lock, place) },
    ...(license === undefined ? {} : { licenses: [licenceOf(license)] }),
    ...(digest === undefined
      ? {}
      : { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }),
  }
}

const licenceOf = (text: string) => (/[ ()]/.test(text) ? { expression: text } : { license: { id: text } })

function purlOf(lock: Lock, place: string): string {
  return `pkg:npm/${nameOf(lock, place).replace('@', '%40')}@${lock[place]?.version}`
}
