import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findLicenceFaults, readLock } from '../../scripts/check-licences.ts'

const lock = readLock()

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
