import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { createSubjectIds } from '../../../src/http/auth/verified-token.ts'

const ISSUER = 'https://acme.eu.auth0.com/'

/** Computed with Python, as docs/identity-providers.md says. They must never change: agents and audit events refer
 * to them. */
const VECTORS: [issuer: string, value: string, uuid: string][] = [
  [ISSUER, 'auth0|6617d3b2f9c1a8e4d5b60718', '7f0e3fa9-093f-59dc-a333-3c198b63d88c'],
  [ISSUER, 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY@clients', 'f5cd5a5e-77f4-5e97-aaf5-caf7b3199372'],
  ['https://accounts.google.com', '110169484474386276334', '76376a5d-000f-5c4d-95cb-f1f3f75a5ed3'],
  ['https://id.example.com/realms/acme', '/research', 'd2a8612d-96e9-5a46-a325-0ddb7c10171b'],
  ['https://id.example.com/realms/acme', 'Zoë 🚀', 'daf263cd-d240-51f9-8104-f21cd2256279'],
]

/** RFC 9562, section 5.5. */
function version5(namespace: string, name: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest()
  hash[6] = ((hash[6] as number) & 0x0f) | 0x50
  hash[8] = ((hash[8] as number) & 0x3f) | 0x80
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
const NAMESPACE_URL = '6ba7b811-9dad-11d1-80b4-00c04fd430c8'

describe('a user or team', () => {
  it('that is no UUID has the same one for ever', () => {
    for (const [issuer, value, uuid] of VECTORS) assert.equal(createSubjectIds(issuer)(value), uuid)
  })

  it('that is no UUID gets the version 5 of the issuer and its text', () => {
    fc.assert(
      fc.property(fc.webUrl(), fc.string({ unit: 'grapheme', minLength: 1 }), (issuer, value) => {
        const expected = version5(version5(NAMESPACE_URL, issuer), value)
        assert.equal(createSubjectIds(issuer)(value), expected)
      }),
    )
  })

  it('is another one at another issuer, in other letters and with a space', () => {
    const ids = [
      createSubjectIds(ISSUER)('ann'),
      createSubjectIds('https://acme.eu.auth0.com')('ann'),
      ...['Ann', 'ann ', ' ann', 'ａnn'].map(createSubjectIds(ISSUER)),
    ]
    assert.equal(new Set(ids).size, ids.length)
  })

  it('that is a UUID is itself, in any spelling', () => {
    const uuid = '3fa85f64-5717-4562-b3fc-2c963f66afa6'
    for (const value of [
      uuid,
      uuid.toUpperCase(),
      uuid.replaceAll('-', ''),
      `{${uuid}}`,
      `urn:uuid:${uuid}`,
    ]) {
      assert.equal(createSubjectIds(ISSUER)(value), uuid)
    }
  })

  it('cannot be taken over by a group that is named like the id of another', () => {
    const toId = createSubjectIds(ISSUER)
    const victim = toId('research') as string
    for (const name of [victim, victim.toUpperCase(), victim.replaceAll('-', ''), `urn:uuid:${victim}`]) {
      assert.notEqual(toId(name), victim)
    }
  })

  it('without a form in UTF-8 is none: two of them could look the same', () => {
    assert.equal(createSubjectIds(ISSUER)('ann\ud800'), null)
  })
})
