import assert from 'node:assert/strict'
import { createHmac, createPublicKey } from 'node:crypto'
import { describe, it } from 'node:test'
import { canonicalJson } from '../../src/imports/signatures/canonical-json.ts'
import { verifyCard } from '../../src/imports/signatures/verify.ts'
import { createRandom, type Json, makeCard } from '../support/agent-cards.ts'
import { createCardSigner, signText, signWithSdk } from '../support/signed-cards.ts'

const ORIGIN = 'https://agents.example.com'

describe('canonical JSON', () => {
  it('is that of RFC 8785', () => {
    const numbers = [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 1e-27, -0, 1e21]
    const text = '\u20ac$\u000f\nA\'B"\\\\"/'
    assert.equal(
      canonicalJson({ numbers, string: text, literals: [null, true, false] }),
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0,1e+21],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    )
    // By UTF-16 code units: the emoji, whose first unit is U+D83D, comes before U+FB33.
    const names = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\u{1f600}': 5, '\u0080': 6, ö: 7 }
    assert.equal(canonicalJson(names), '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"\u{1f600}":5,"\ufb33":3}')
    assert.throws(() => canonicalJson({ a: '\ud800' }))
    assert.throws(() => canonicalJson({ '\udc00': 1 }))
  })
})

describe('the signatures of a card', async () => {
  const signer = createCardSigner('RS256', 'key', [ORIGIN])
  const other = createCardSigner('ES256', 'other', [ORIGIN])
  const { card } = makeCard(createRandom(3), '1.0')
  const signed = await signWithSdk(card, signer)
  const [signature] = signed['signatures'] as [{ protected: string; signature: string }]

  const verify = async (value: Json, origins: (string | null)[] = [ORIGIN], keys = [signer.key]) =>
    (await verifyCard({ value, version: '1.0', origins }, keys)).signature.state
  const withHeader = (header: object, bytes = signature.signature): Json => {
    const text = Buffer.from(JSON.stringify(header)).toString('base64url')
    return { ...card, signatures: [{ protected: text, signature: bytes }] }
  }
  const withSignatures = (...signatures: unknown[]): Json => ({ ...card, signatures })

  it('count if one of them is of a key of the team', async () => {
    assert.equal(await verify(signed), 'verified')
    assert.equal(await verify(await signWithSdk(signed, other)), 'verified')
    assert.equal(await verify(await signWithSdk(await signWithSdk(card, other), signer)), 'verified')
    assert.equal(await verify(await signWithSdk(card, other)), 'untrusted_key')
    assert.equal(await verify(withSignatures({ ...signature, signature: 'AAAA' }, signature)), 'verified')
  })

  it('cover every member that becomes a field', async () => {
    for (const name of Object.keys(card).filter((each) => each !== 'signatures' && each !== 'x-vendor')) {
      const isOfOldVersion = ['url', 'preferredTransport', 'protocolVersion'].includes(name)
      const { [name]: _, ...rest } = signed
      assert.equal(await verify(rest), isOfOldVersion ? 'verified' : 'invalid', name)
    }
    assert.equal(await verify({ ...signed, iconUrl: 'https://attacker.example/icon' }), 'invalid')
    const scheme = { httpAuthSecurityScheme: { scheme: 'Basic' } }
    assert.equal(await verify({ ...signed, securitySchemes: { a: scheme } }), 'invalid')
    // The text that the SDK signs has no empty members: they are left out of the card, too.
    const added = {
      ...{ ...signed, securitySchemes: { a: { mtlsSecurityScheme: {} }, b: { type: 'http' } } },
      'x-unknown': 1,
    }
    const { signature: state, covered = {} } = await verifyCard(
      { value: added, version: '1.0', origins: [ORIGIN] },
      [signer.key],
    )
    assert.equal(state.form, 'compact')
    assert.equal('securitySchemes' in covered, false)
    assert.equal('x-unknown' in covered, false)
  })

  it('are those of the protected header, with the algorithm of the key', async () => {
    const kid = signer.key.kid
    for (const header of [
      { alg: 'none', kid },
      { alg: 'HS256', kid },
      { alg: 'PS256', kid },
      { alg: 'RS512', kid },
      { kid },
      { alg: 'RS256' },
      { alg: 'RS256', kid: 5 },
      { alg: 'RS256', kid, crit: ['exp'], exp: 1 },
      { alg: 'RS256', kid, b64: false, crit: ['b64'] },
    ]) {
      assert.equal(await verify(withHeader(header)), 'invalid', JSON.stringify(header))
      assert.equal(await verify(withHeader(header, '')), 'invalid', JSON.stringify(header))
    }
    // The public key as the secret of an HMAC.
    const pem = createPublicKey({ key: signer.key.public_key, format: 'jwk' }).export({
      type: 'spki',
      format: 'pem',
    })
    const header = Buffer.from(JSON.stringify({ alg: 'HS256', kid })).toString('base64url')
    const payload = Buffer.from(canonicalJson(card)).toString('base64url')
    const mac = createHmac('sha256', pem).update(`${header}.${payload}`).digest('base64url')
    assert.equal(await verify(withSignatures({ protected: header, signature: mac })), 'invalid')
    // The unprotected header is not read.
    const unprotected = {
      ...signature,
      header: { kid: 'other', alg: 'none', jku: 'https://attacker.example' },
    }
    assert.equal(await verify(withSignatures(unprotected)), 'verified')
    assert.equal(await verify(withHeader({ alg: 'ES256K', kid: 'unknown' })), 'untrusted_key')
  })

  it('are trusted at the origins of the key only', async () => {
    for (const origins of [
      ['https://agents.example.com.attacker.example'],
      ['http://agents.example.com'],
      [ORIGIN, null],
    ]) {
      assert.equal(await verify(signed, origins), 'untrusted_key', JSON.stringify(origins))
    }
    assert.equal(await verify(signed, [ORIGIN, ORIGIN]), 'verified')
  })

  it('that are malformed are invalid, and those of Sigstore are of another format', async () => {
    assert.equal(await verify(withSignatures()), 'absent')
    assert.equal(await verify({ ...card, signatures: null }), 'absent')
    for (const odd of [
      null,
      5,
      {},
      { ...signature, protected: 'e30' },
      { ...signature, protected: '%' },
      { signature: 'AA' },
    ]) {
      assert.equal(await verify(withSignatures(odd)), 'invalid', JSON.stringify(odd))
    }
    assert.equal(await verify({ ...card, signatures: 'text' }), 'invalid')
    assert.equal(await verify(withSignatures(...Array.from({ length: 9 }, () => signature))), 'invalid')
    const bundle = { mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json', verificationMaterial: {} }
    assert.equal(await verify(withSignatures(bundle)), 'unsupported_format')
  })

  it('of a text that means another card are invalid', async () => {
    const text = canonicalJson({ ...card, name: 'Other' })
    assert.equal(await verify(await signText(card, text, signer)), 'invalid')
    assert.equal(await verify(await signText(card, JSON.stringify(card), signer)), 'invalid')
  })
})
