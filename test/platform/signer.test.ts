import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { calculateJwkThumbprint, createLocalJWKSet, jwtVerify } from 'jose'
import { parseSigningKeys, Signer } from '../../src/platform/crypto/signer.ts'
import { signingKey } from '../support/signing.ts'

const pemOf = ({ privateKey }: ReturnType<typeof generateKeyPairSync>, type: 'pkcs8' | 'sec1' = 'pkcs8') =>
  privateKey.export({ type, format: 'pem' } as never).toString()
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve })

describe('a signer', () => {
  it('signs with the first key and publishes the public part of all', async () => {
    const [old, next] = [signingKey(), pemOf(ec('P-256'))]
    const before = new Signer(parseSigningKeys(old + next))
    const after = new Signer(parseSigningKeys(`${next}\n${old}`))
    assert.deepEqual(
      before.publicKeys.keys.map(({ alg }) => alg),
      ['EdDSA', 'ES256'],
    )
    for (const key of before.publicKeys.keys) {
      assert.equal('d' in key, false)
      assert.deepEqual([key['use'], key['kid']], ['sig', await calculateJwkThumbprint(key as never)])
    }
    // Each of two replicas in the middle of a rotation accepts what the other signs.
    for (const [signer, other, index] of [
      [before, after, 0],
      [after, before, 0],
    ] as const) {
      const token = await signer.sign({ sub: 'x' }, 'at+jwt')
      const keys = createLocalJWKSet(other.publicKeys)
      const { protectedHeader } = await jwtVerify(token, keys)
      assert.equal(protectedHeader.kid, signer.publicKeys.keys[index]?.['kid'])
      assert.equal(protectedHeader.typ, 'at+jwt')
    }
  })

  it('takes a key whose line breaks are written as \\n', () => {
    assert.equal(parseSigningKeys(signingKey().replaceAll('\n', '\\n')).length, 1)
  })

  const good = signingKey()
  const refused: Record<string, [text: string, message: RegExp]> = {
    'no key': ['secret-text', /^must be one or more private keys in PEM/],
    'text beside the key': [`secret-text${good}`, /^must be one or more private keys in PEM/],
    'a broken key': [
      '-----BEGIN PRIVATE KEY-----\nsecrettext\n-----END PRIVATE KEY-----',
      /^must be Ed25519 or P-256 keys; key 1 is not one$/,
    ],
    'an RSA key': [
      good + pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 })),
      /^must be Ed25519 or P-256 keys; key 2 is not one$/,
    ],
    'another curve': [pemOf(ec('P-384')), /^must be Ed25519 or P-256 keys; key 1 is not one$/],
    'a key for other uses': [pemOf(generateKeyPairSync('x25519')), /^must be Ed25519 or P-256 keys/],
    'the same key twice': [good + good, /^has the same key twice$/],
  }
  for (const [what, [text, message]] of Object.entries(refused)) {
    it(`does not take ${what}`, () => {
      assert.throws(() => parseSigningKeys(text), { message })
    })
  }

  it('shows no key when it is printed', () => {
    const shown = JSON.stringify(parseSigningKeys(good))
    assert.equal(shown, '["[secret]"]')
  })
})
