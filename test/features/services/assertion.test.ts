import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import type { Behind } from '../../support/behind.ts'
import { document, returning } from '../../support/service-documents.ts'
import { CONSOLE_NAME } from '../../support/signing.ts'
import { usePolling, usePublishing } from './publishing.ts'

/** The token of the last request that a service got. */
function lastToken({ asked }: Behind): string {
  const headers = asked.findLast(({ line }) => !line.includes('openapi'))?.rawHeaders ?? []
  const index = headers.findIndex((name) => name.toLowerCase() === 'authorization')
  return headers[index + 1]?.replace('Bearer ', '') ?? ''
}

describe('a service with `token: assert`', async () => {
  const clock = { ms: Date.now() }
  const paths = (path: string) => ({ [path]: { get: returning({}), post: returning({}) } })
  const one = await usePublishing(document(paths('/v1/one')))
  const two = await usePublishing(document(paths('/v1/two')))
  const { running, becomes } = await usePolling(
    { one: { url: one.url, token: 'assert' }, two: { url: two.url, token: 'assert', audience: 'urn:two' } },
    { overrides: { now: () => clock.ms } },
  )
  await becomes('one', ({ state }) => state === 'up')
  await becomes('two', ({ state }) => state === 'up')
  const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', running.url))
  const call = async (token: string, path = '/v1/one', method = 'GET') => {
    const reply = await running.request(method, path, { token })
    assert.equal(reply.status, 200)
    return lastToken(path === '/v1/one' ? one : two)
  }

  it('gets a token of a minute, signed by the console for it alone, and not the token of the caller', async () => {
    const { user, team, token } = await running.person({ scope: 'agent:read things:write' })
    const received = await call(token)
    const { payload, protectedHeader } = await jwtVerify(received, keys, {
      ...{ issuer: CONSOLE_NAME, audience: 'one', typ: 'at+jwt', currentDate: new Date(clock.ms) },
    })
    const { jti = '', iat = 0, ...claims } = payload
    assert.deepEqual(claims, {
      ...{ iss: CONSOLE_NAME, aud: 'one', sub: user, team_id: team },
      // The issuer of the tests makes a client for each user and team.
      ...{ permissions: ['agent:read', 'things:write'], client_id: `${user}.${team}`, exp: iat + 60 },
    })
    assert.equal(iat, Math.floor(clock.ms / 1_000))
    assert.match(jti, /^[0-9a-f-]{36}$/)
    assert.equal(protectedHeader.alg, 'EdDSA')
    assert.ok(!JSON.stringify(one.asked).includes(token))
  })

  it('gets the same one again for half of its life, and then a new one', async () => {
    const { token } = await running.person()
    const first = await call(token)
    clock.ms += 29_000
    assert.equal(await call(token, '/v1/one', 'POST'), first)
    clock.ms += 1_000
    const next = await call(token)
    assert.notEqual(next, first)
    assert.notEqual(decodeJwt(next).jti, decodeJwt(first).jti)
  })

  it('gets another one than another service', async () => {
    const { token } = await running.person()
    assert.equal(decodeJwt(await call(token)).aud, 'one')
    assert.equal(decodeJwt(await call(token, '/v1/two')).aud, 'urn:two')
  })

  it('gets the user, team and permissions of the caller, and of no one else', async () => {
    const [user, team] = [randomUUID(), randomUUID()]
    const people = [
      { user, team },
      { user, team: randomUUID() },
      { user: randomUUID(), team },
    ]
    for (const scope of ['agent:read', 'agent:write']) {
      for (const person of people) {
        const { token } = await running.person({ ...person, scope })
        const { sub, team_id, permissions } = decodeJwt(await call(token))
        assert.deepEqual({ user: sub, team: team_id, permissions }, { ...person, permissions: [scope] })
      }
    }
  })
})

describe('the public keys of the console', async () => {
  const { running } = await usePolling({})

  it('are public, may be cached, and have an ETag', async () => {
    const { status, headers, body } = await running.request('GET', '/.well-known/jwks.json')
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'public, max-age=300')
    assert.deepEqual(
      body.keys.map((key: object) => Object.keys(key).toSorted()),
      [['alg', 'crv', 'kid', 'kty', 'use', 'x']],
    )
    const again = await running.request('GET', '/.well-known/jwks.json', {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    })
    assert.equal(again.status, 304)
  })
})
