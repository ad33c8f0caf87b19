import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { type Person, useConsole } from '../support/console.ts'
import { createCardSigner } from '../support/signed-cards.ts'

describe('the card keys and the card policy of a team', async () => {
  const running = await useConsole()
  const person = await running.person()
  const { key } = createCardSigner('ES256', 'main', ['https://agents.example.com'])
  const content = { algorithm: key.algorithm, public_key: key.public_key, origins: key.origins }

  const call = (method: string, path: string, json?: unknown, { token }: Person = person) =>
    running.request(method, path, { token, ...(json !== undefined && { json }) })

  it('keeps what makes up a public key, and lists the keys of the team alone', async () => {
    const saved = await call('PUT', '/v1/card-keys/main', {
      ...content,
      public_key: { ...key.public_key, kid: 'x', use: 'sig', alg: 'ES256', x5c: ['MII'] },
      origins: [...key.origins, ...key.origins],
    })
    assert.equal(saved.status, 200, saved.text)
    const { updated_at, updated_by, ...stored } = saved.body
    assert.deepEqual(stored, { kid: 'main', ...content })
    assert.equal(updated_by, person.user)
    assert.ok(updated_at > 0)
    assert.deepEqual((await call('GET', '/v1/card-keys/main')).body, saved.body)
    assert.deepEqual((await call('GET', '/v1/card-keys')).body, { results: [saved.body] })

    const stranger = await running.person()
    assert.deepEqual((await call('GET', '/v1/card-keys', undefined, stranger)).body, { results: [] })
    assert.equal(
      (await call('GET', '/v1/card-keys/main', undefined, stranger)).body.code,
      'card_key_not_found',
    )
    assert.equal((await call('DELETE', '/v1/card-keys/main', undefined, stranger)).status, 404)

    const odd = encodeURIComponent('did:web:example.com#key/1')
    assert.equal((await call('PUT', `/v1/card-keys/${odd}`, content)).body.kid, 'did:web:example.com#key/1')
    assert.equal((await call('DELETE', `/v1/card-keys/${odd}`)).status, 204)
    assert.equal((await call('DELETE', `/v1/card-keys/${odd}`)).body.code, 'card_key_not_found')
  })

  it('refuses keys that prove nothing, and origins that are none', async () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const small = generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey.export({ format: 'jwk' })
    const faults: [object, string[]][] = [
      [{ public_key: pair.privateKey.export({ format: 'jwk' }) }, ['public_key']],
      [{ public_key: { kty: 'oct', k: 'c2VjcmV0' } }, ['public_key']],
      [{ public_key: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' } }, ['public_key']],
      [{ public_key: small, algorithm: 'RS256' }, ['public_key']],
      [{ algorithm: 'ES384' }, ['public_key']],
      [{ algorithm: 'HS256' }, ['algorithm']],
      [{ algorithm: 'none' }, ['algorithm']],
      [{ origins: [] }, ['origins']],
      ...[
        'https://agents.example.com/',
        'https://u:p@example.com',
        'agents.example.com',
        'null',
        'ftp://a.example',
      ].map((origin): [object, string[]] => [{ origins: [origin] }, ['origins']]),
    ]
    for (const [change, [member]] of faults) {
      const { status, body } = await call('PUT', '/v1/card-keys/bad', { ...content, ...change })
      assert.equal(status, 422, JSON.stringify(change))
      assert.equal(body.detail[0].loc[1], member, JSON.stringify(body))
      assert.doesNotMatch(JSON.stringify(body), /c2VjcmV0/)
    }
    assert.equal((await call('GET', '/v1/card-keys/bad')).status, 404)
  })

  it('has a policy, which is if_present until the team changes it', async () => {
    const { body: before } = await call('GET', '/v1/card-policy')
    assert.deepEqual(before, { signatures: 'if_present', updated_at: null, updated_by: null })
    const { body: changed } = await call('PUT', '/v1/card-policy', { signatures: 'require' })
    assert.equal(changed.signatures, 'require')
    assert.deepEqual((await call('GET', '/v1/card-policy')).body, changed)
    const stranger = await running.person()
    assert.equal((await call('GET', '/v1/card-policy', undefined, stranger)).body.signatures, 'if_present')
    assert.equal((await call('PUT', '/v1/card-policy', { signatures: 'maybe' })).status, 422)
  })

  it('lets only agent:lifecycle change them, and records each change', async () => {
    const reader = await running.person({ team: person.team, scope: 'agent:read agent:write' })
    for (const [method, path, json] of [
      ['PUT', '/v1/card-keys/main', content],
      ['DELETE', '/v1/card-keys/main', undefined],
      ['PUT', '/v1/card-policy', { signatures: 'off' }],
    ] as const) {
      assert.equal((await call(method, path, json, reader)).body.code, 'permission_missing')
    }
    assert.equal((await call('GET', '/v1/card-keys/main', undefined, reader)).status, 200)
    const { body } = await call('GET', '/v1/audit-events')
    const recorded = body.results
      .filter(({ action }: { action: string }) => action.startsWith('card_'))
      .map(({ action, detail }: { action: string; detail: object }) => [action, detail])
    const odd = 'did:web:example.com#key/1'
    assert.deepEqual(recorded.toReversed(), [
      ['card_key_saved', { kid: 'main', algorithm: 'ES256', origins: key.origins }],
      ['card_key_saved', { kid: odd, algorithm: 'ES256', origins: key.origins }],
      ['card_key_deleted', { kid: odd }],
      ['card_policy_changed', { signatures: 'require' }],
    ])
  })

  it('has at most 100 keys', async () => {
    const crowded = await running.person()
    const put = (index: number) => call('PUT', `/v1/card-keys/key-${index}`, content, crowded)
    await Promise.all(Array.from({ length: 99 }, (_, index) => put(index)))
    assert.equal((await put(99)).status, 200)
    assert.equal((await call('PUT', '/v1/card-keys/more', content, crowded)).body.code, 'too_many_card_keys')
    assert.equal((await call('PUT', '/v1/card-keys/key-7', content, crowded)).status, 200)
  })
})
