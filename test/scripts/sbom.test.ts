import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findLicenceFaults } from '../../scripts/check-licences.ts'
import { makeBom } from '../../scripts/sbom/cyclonedx.ts'
import { closureOf, isInstalled, nameOf, readLock } from '../../scripts/sbom/lock.ts'

const lock = readLock()

describe('npm run sbom', () => {
  const bom = makeBom(lock)

  it('has every package that the server installs, and no other: with the workspaces, all that are not for development', () => {
    // npm marks what only development needs. `npm sbom` lost packages that both need.
    const marked = Object.keys(lock).filter(
      (place) => isInstalled(place) && !lock[place]?.dev && !lock[place]?.link,
    )
    const found = closureOf(lock, '', 'cli', 'sdk', 'web', 'tools/codegen').filter(isInstalled)
    assert.deepEqual(found.toSorted(), marked.toSorted())
    const ofServer = closureOf(lock, '').filter(isInstalled)
    const names = new Set(ofServer.map((place) => `${nameOf(lock, place)}@${lock[place]?.version}`))
    const listed = bom.components.map(
      ({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`,
    )
    assert.deepEqual(listed.toSorted(), [...names].toSorted())
    for (const name of ['jose', 'ajv', 'yaml', 'undici', 'pg-protocol'])
      assert.ok(
        bom.components.some((component) => component.name === name),
        name,
      )
    assert.ok(!bom.components.some(({ name }) => name === 'typescript' || name === 'keyring'))
  })

  it('refers only to components that it has', () => {
    const refs = new Set(bom.dependencies.map(({ ref }) => ref))
    assert.equal(refs.size, bom.components.length + 1)
    for (const { dependsOn } of bom.dependencies) for (const ref of dependsOn) assert.ok(refs.has(ref), ref)
  })

  it('spells names of packages as purl does, and has a hash and a licence of each', () => {
    const pool = bom.components.find(({ purl }) => purl.startsWith('pkg:npm/%40nats-io/jetstream@'))
    assert.equal(pool?.group, '@nats-io')
    for (const component of bom.components) {
      const { hashes, licenses, purl } = component as typeof component & {
        hashes?: unknown[]
        licenses?: unknown[]
      }
      assert.ok(hashes?.length === 1 && licenses?.length === 1, purl)
    }
  })
})

describe('the licence check', () => {
  it('accepts every package', () => {
    assert.deepEqual(findLicenceFaults(lock), [])
  })

  it('finds a licence that is not allowed, in what is shipped and in tools', () => {
    const changed = structuredClone(lock)
    Object.assign(changed['node_modules/pg'] ?? {}, { license: 'MPL-2.0' })
    Object.assign(changed['node_modules/typescript'] ?? {}, { license: '(GPL-3.0-only AND MIT)' })
    delete changed['node_modules/jose']?.license
    assert.deepEqual(
      findLicenceFaults(changed)
        .map((line) => line.replace(/ \S+:/, ':'))
        .toSorted(),
      ['jose: no licence', 'pg: MPL-2.0', 'typescript: (GPL-3.0-only AND MIT)'],
    )
  })
})
