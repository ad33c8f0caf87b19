import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { decodeJwt } from 'jose'
import { clientSecret } from '../../../dev/issuer/client.ts'
import { type Behaviour, type Behind, startBehind } from '../../support/behind.ts'
import { closeAfter } from '../../support/close-after.ts'
import { exchangeClientId } from '../../support/issuer/exchange.ts'
import { startIssuer } from '../../support/issuer/issuer.ts'
import { document, returning } from '../../support/service-documents.ts'
import { until } from '../../support/until.ts'
import { usePolling, usePublishing } from './publishing.ts'

const EXCHANGE = { EXCHANGE_CLIENT_ID: exchangeClientId, EXCHANGE_CLIENT_SECRET: clientSecret }
const things = () => usePublishing(document({ '/v1/things': { get: returning({}), post: returning({}) } }))
const callsOf = ({ asked }: Behind) => asked.filter(({ line }) => !line.includes('openapi'))
const tokensOf = (behind: Behind) =>
  callsOf(behind).map(({ rawHeaders }) => rawHeaders[rawHeaders.indexOf('authorization') + 1] ?? '')

describe('a service with `token: exchange`', async () => {
  const clock = { ms: Date.now() }
  const behind = await things()
  const issuer = await startIssuer({ tokenLifetimeSeconds: 600 })
  const { running, becomes } = await usePolling(
    { things: { url: behind.url, token: 'exchange', audience: 'urn:things' } },
    { issuer, environment: EXCHANGE, overrides: { now: () => clock.ms } },
  )
  await becomes('things', ({ state }) => state === 'up')
  const call = async (token: string) => {
    const reply = await running.request('GET', '/v1/things', { token })
    assert.equal(reply.status, 200)
    return tokensOf(behind).at(-1)?.replace('Bearer ', '') ?? ''
  }

  it('gets a token of the issuer for its audience, and not the token of the caller', async () => {
    const { user, team, token } = await running.person({ scope: 'agent:read' })
    const { iss, aud, sub, team_id, scope, client_id } = decodeJwt(await call(token))
    assert.deepEqual(
      { iss, aud, sub, team_id, scope, client_id },
      {
        iss: issuer.url,
        aud: 'urn:things',
        sub: user,
        team_id: team,
        scope: 'agent:read',
        client_id: exchangeClientId,
      },
    )
    assert.ok(!JSON.stringify(behind.asked).includes(token))
  })

  it('gets the same one again until shortly before its end, and each caller its own', async () => {
    const [{ token }, other] = [await running.person(), await running.person()]
    const first = await call(token)
    assert.notEqual(await call(other.token), first)
    clock.ms += 560_000
    assert.equal(await call(token), first)
    clock.ms += 11_000
    assert.notEqual(await call(token), first)
  })
})

describe('a token exchange', async () => {
  const clock = { ms: Date.now() }
  const behind = await things()
  const endpoint = await startBehind()
  closeAfter(() => endpoint.stop())
  const issuer = await startIssuer({ grants: false, tokenEndpoint: `${endpoint.url}/token` })
  const { running, becomes } = await usePolling(
    { things: { url: behind.url, token: 'exchange' } },
    { issuer, environment: EXCHANGE, overrides: { now: () => clock.ms } },
  )
  await becomes('things', ({ state }) => state === 'up')
  const call = async (token?: string) =>
    running.request('POST', '/v1/things', { token: token ?? (await running.person()).token })
  const sign = (aud: unknown) => issuer.sign({ iss: issuer.url, aud: aud as string, sub: 'x', exp: 2e9 })
  const json = (status: number, body: object) => (_request: IncomingMessage, response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const granting = (token: string, more: object = {}) =>
    json(200, { access_token: token, token_type: 'Bearer', expires_in: 600, ...more })

  it('sends the secret of its client and the token of the caller to the endpoint that the issuer names', async () => {
    let body = ''
    endpoint.behave(async (request, response) => {
      body = await text(request)
      assert.equal(
        request.headers.authorization,
        `Basic ${Buffer.from(`${exchangeClientId}:${clientSecret}`).toString('base64')}`,
      )
      granting('opaque')(request, response)
    })
    const { token } = await running.person()
    assert.equal((await call(token)).status, 200)
    assert.deepEqual(Object.fromEntries(new URLSearchParams(body)), {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      audience: 'things',
    })
    assert.equal(tokensOf(behind).at(-1), 'Bearer opaque')
  })

  it('happens once for calls of a caller at the same time', async () => {
    const { token } = await running.person()
    const before = endpoint.asked.length
    const release = Promise.withResolvers<void>()
    endpoint.behave(async (request, response) => {
      await release.promise
      granting('shared')(request, response)
    })
    const calls = Array.from({ length: 20 }, () => call(token))
    await until('the exchange has begun', async () => endpoint.asked.length > before)
    // The others have arrived before it.
    await running.request('GET', '/v1/services', { token })
    release.resolve()
    for (const { status } of await Promise.all(calls)) assert.equal(status, 200)
    assert.equal(endpoint.asked.length, before + 1)
  })

  const failures: Record<string, [Behaviour, number, string]> = {
    'is refused': [json(400, { error: 'invalid_target' }), 502, 'token_exchange_failed'],
    'is not allowed': [json(401, { error: 'invalid_client' }), 502, 'token_exchange_failed'],
    'gives no JSON': [(_request, response) => response.end('<html>'), 502, 'token_exchange_failed'],
    'gives no token': [json(200, { token_type: 'Bearer' }), 502, 'token_exchange_failed'],
    'gives a token that is no header': [granting('a\r\nb: c'), 502, 'token_exchange_failed'],
    'gives a token of another kind': [granting('x', { token_type: 'DPoP' }), 502, 'token_exchange_failed'],
    'gives more than a token': [granting('x'.repeat(100_000)), 502, 'token_exchange_failed'],
    'leads elsewhere': [
      (_request, response) => response.writeHead(307, { location: `${endpoint.url}/other` }).end(),
      503,
      'token_exchange_unavailable',
    ],
    'gives a token for the console': [granting(await sign(issuer.audience)), 502, 'token_exchange_failed'],
    'gives a token for the console and others': [
      granting(await sign(['things', issuer.audience])),
      502,
      'token_exchange_failed',
    ],
    'meets a failing issuer': [json(500, {}), 503, 'token_exchange_unavailable'],
    'meets a busy issuer': [json(429, {}), 503, 'token_exchange_unavailable'],
    'is cut off': [(request) => request.socket.destroy(), 503, 'token_exchange_unavailable'],
  }
  for (const [what, [behaviour, status, code]] of Object.entries(failures)) {
    it(`that ${what} is ${status} ${code}, and the service gets nothing`, async () => {
      endpoint.behave(behaviour)
      const before = callsOf(behind).length
      const reply = await call()
      assert.deepEqual([reply.status, reply.body.code], [status, code])
      assert.equal(reply.headers.has('retry-after'), status === 503)
      assert.equal(callsOf(behind).length, before)
    })
  }

  it('that failed is not tried again for a second', async () => {
    endpoint.behave(json(503, {}))
    const { token } = await running.person()
    await call(token)
    const before = endpoint.asked.length
    assert.equal((await call(token)).status, 503)
    assert.equal(endpoint.asked.length, before)
    clock.ms += 1_000
    endpoint.behave(granting('later'))
    assert.equal((await call(token)).status, 200)
  })

  it('waits for a slow issuer no longer than its limit, and holds nothing else up', async () => {
    const hung = Promise.withResolvers<ServerResponse>()
    endpoint.behave((_request, response) => hung.resolve(response))
    const { token } = await running.person()
    const waiting = call(token)
    const response = await hung.promise
    assert.equal((await running.request('GET', '/v1/services', { token })).status, 200)
    const closed = once(response, 'close')
    assert.deepEqual([(await waiting).status, (await waiting).body.code], [503, 'token_exchange_unavailable'])
    await closed
  })

  it('leaves no token and no secret in the log', async () => {
    endpoint.behave(json(400, { error: 'invalid_request', error_description: 'secret-of-the-issuer' }))
    const { token } = await running.person()
    await call(token)
    const log = running.logLines.join('')
    assert.ok(log.includes('The issuer returned 400: invalid_request'))
    for (const secret of [token, clientSecret, 'secret-of-the-issuer']) assert.ok(!log.includes(secret))
  })
})
