import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { onFreePort } from '../../../dev/free-port.ts'
import { listen, stopListening } from '../../../dev/http-service.ts'
import {
  FORGERIES,
  signed,
  signedByRsa,
  WRONG_CLAIMS,
  WRONG_PROFILES,
  withClaims,
  withProfile,
} from '../../support/forgeries.ts'
import { accepted, refused, send, useScene } from '../../support/identity-scene.ts'

const NO_TOKEN = 'The request has no usable token. Send exactly one header Authorization: Bearer <JWT>.'
const somewhere = () => `/v1/agent-configurations/${randomUUID()}`

describe('the bearer token', async () => {
  const scene = await useScene()

  const sendHeader = (authorization: string) =>
    scene.running.request('GET', somewhere(), { headers: { authorization } })
  /** Claims as they are accepted, but for these. */
  const sendClaims = (claims: object) => send(scene, signed(scene, { ...scene.claims(), ...claims }))
  const now = () => scene.clock.ms / 1_000

  it('is accepted as the issuer grants it, and speaks for its user and team', async () => {
    const { request, person } = scene.running
    const { user, team, token } = await person()
    const json = { agent_name: 'A', model_name: 'm' }
    const created = await request('POST', '/v1/agent-configurations', { token, json })
    assert.equal(created.status, 201)
    assert.deepEqual([created.body.created_by, created.body.team_id], [user, team])
    const colleague = await person({ team, scope: 'agent:read' })
    const read = await request('GET', `/v1/agent-configurations/${created.body.id}`, colleague)
    assert.equal(read.status, 200)
  })

  it('is accepted from each published key, for one audience of several', async () => {
    accepted(await send(scene, signed(scene, scene.claims())))
    accepted(await send(scene, signedByRsa(scene, scene.claims())))
    accepted(await sendClaims({ aud: ['another', scene.running.issuer.audience] }))
  })

  it('is read whatever the letters of the scheme', async () => {
    const token = signed(scene, scene.claims())
    accepted(await sendHeader(`bearer ${token}`))
    accepted(await sendHeader(`BEARER  ${token}`))
  })

  const headers: Record<string, (token: string) => string> = {
    'another scheme': (token) => `Basic ${token}`,
    'no scheme': (token) => token,
    'the scheme alone': () => 'Bearer',
    'an empty token': () => 'Bearer ',
    'an empty header': () => '',
    'a colon after the scheme': (token) => `Bearer: ${token}`,
    'two tokens': (token) => `Bearer ${token} ${token}`,
    'two credentials': (token) => `Bearer ${token}, Bearer ${token}`,
    'a token in quotes': (token) => `Bearer "${token}"`,
  }
  for (const [rule, header] of Object.entries(headers)) {
    it(`is not read from ${rule}`, async () => {
      refused(await sendHeader(header(signed(scene, scene.claims()))), NO_TOKEN, 'unauthenticated')
    })
  }

  it('is not read from two headers, not even alike, nor from the query', async () => {
    const bearer = `Bearer ${signed(scene, scene.claims())}`
    assert.equal((await sendRawHeaders(scene.running.url, ['Authorization', bearer])).statusCode, 404)
    for (const pair of [
      [bearer, 'Bearer x'],
      ['Bearer x', bearer],
      [bearer, bearer],
    ]) {
      const names = ['Authorization', 'authorization']
      const reply = await sendRawHeaders(
        scene.running.url,
        names.flatMap((name, i) => [name, pair[i] ?? '']),
      )
      assert.equal(reply.statusCode, 401)
      assert.equal(JSON.parse(await text(reply)).code, 'unauthenticated')
    }
    const inQuery = `${somewhere()}?access_token=${signed(scene, scene.claims())}`
    refused(await scene.running.request('GET', inQuery), NO_TOKEN, 'unauthenticated')
  })

  it('is asked for by every operation that declares the scheme', async () => {
    const { body: document } = await scene.running.request('GET', '/openapi.json')
    const guarded = Object.entries<Record<string, { security?: unknown[] }>>(document.paths).flatMap(
      ([path, operations]) =>
        Object.entries(operations)
          .filter(([, { security }]) => security?.length)
          .map(([method]) => ({
            path: path.replace(/\{\w+\}/g, randomUUID()),
            method: method.toUpperCase(),
          })),
    )
    assert.ok(guarded.length >= 3)
    for (const { method, path } of guarded) {
      // The body is not JSON: who calls is settled before anything else is looked at.
      const raw = method === 'GET' ? {} : { raw: '{' }
      refused(await scene.running.request(method, path, raw), NO_TOKEN, 'unauthenticated')
      refused(await scene.running.request(method, path, { token: 'x', ...raw }))
    }
  })

  describe('is refused with', () => {
    const attacker = createServer()
    let attackerUrl: string
    let asked = 0
    before(async () => {
      attacker.on('request', (_request, response) => {
        asked += 1
        response.end(JSON.stringify({ keys: [scene.attacker.ec.public.export({ format: 'jwk' })] }))
      })
      attackerUrl = `http://127.0.0.1:${await onFreePort((port) => listen(attacker, port, '127.0.0.1'))}`
    })
    after(() => stopListening(attacker))

    for (const [rule, forge] of Object.entries(FORGERIES)) {
      it(rule, async () => refused(await send(scene, forge(scene, attackerUrl))))
    }
    for (const [rule, wrong] of Object.entries(WRONG_CLAIMS)) {
      it(rule, async () => refused(await send(scene, withClaims(scene, wrong)), wrong.detail))
    }
    for (const [rule, wrong] of Object.entries(WRONG_PROFILES)) {
      it(rule, async () => refused(await send(scene, withProfile(scene, wrong)), wrong.detail))
    }
    it('no request to an address that a token names', () => assert.equal(asked, 0))
  })

  it('is accepted with the type of an access token or of a JWT, or with none', async () => {
    const types = [
      'JWT',
      'jwt',
      'at+jwt',
      'AT+JWT',
      'application/jwt',
      'application/at+jwt',
      'Application/AT+JWT',
    ]
    for (const typ of [...types, undefined])
      accepted(await send(scene, signed(scene, scene.claims(), { typ })))
  })

  it('may live for a day since it was issued, or else since now', async () => {
    const day = 86_400
    accepted(await sendClaims({ exp: now() + day }))
    accepted(await sendClaims({ iat: now() - day + 60, exp: now() + 60 }))
    accepted(await sendClaims({ iat: now() + 30, exp: now() + 30 + day }))
    accepted(await sendClaims({ exp: now() + 0.5 }))
  })

  it('has 30 s of leeway on exp and nbf, and needs no nbf', async () => {
    accepted(await sendClaims({ exp: now() - 29 }))
    accepted(await sendClaims({ nbf: now() + 30 }))
    accepted(await sendClaims({ nbf: now() + 30, exp: now() - 29 }))
  })
})

async function sendRawHeaders(url: string, headers: string[]): Promise<IncomingMessage> {
  const sent = httpRequest(url + somewhere(), {
    headers: ['Host', new URL(url).host, ...headers],
    agent: false,
  })
  const [reply] = await once(sent.end(), 'response')
  return reply
}
