import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Reply } from '../../support/console.ts'
import { accepted, refused } from '../../support/identity-scene.ts'
import { standIn, type Watched, watch } from '../../support/identity-watch.ts'

const COOLDOWN_S = 10
const REFRESH_AFTER_S = 30
const MAX_AGE_S = 60
const MAX_OUTAGE_S = 3_600

function unavailable(reply: Reply<{ code: string }>): void {
  assert.deepEqual([reply.status, reply.body.code], [503, 'issuer_unavailable'])
  assert.equal(reply.headers.get('retry-after'), String(COOLDOWN_S))
}

/** So many requests at once, each with an unknown key id. */
async function storm({ unknown, send }: Watched, count: number) {
  const tokens = await Promise.all(Array.from({ length: count }, unknown))
  return Promise.all(tokens.map(send))
}

/** A console that knows the keys of its issuer, whose cool-down is over. */
async function watchKnowing(t: TestContext) {
  const watched = await watch(t)
  accepted(await watched.send(await watched.token()))
  watched.pass(COOLDOWN_S)
  return watched
}

test('50 first requests at once fetch the keys once', async (t) => {
  const { running, token, send } = await watch(t)
  const tokens = await Promise.all(Array.from({ length: 50 }, () => token()))
  for (const reply of await Promise.all(tokens.map(send))) accepted(reply)
  assert.equal(running.issuer.jwksRequests(), 1)
})

test('a new key is found by itself, and the old one is good as long as it is published', async (t) => {
  const { running, token, send } = await watchKnowing(t)
  const { issuer } = running
  const old = await token()
  await issuer.rotateKey({ keepOld: true })
  accepted(await send(await token()))
  accepted(await send(old))
  assert.equal(issuer.jwksRequests(), 2)
})

test('a new key within the cool-down is found when that is over', async (t) => {
  const { running, token, send, pass } = await watch(t)
  accepted(await send(await token()))
  await running.issuer.rotateKey({ alg: 'RS256' })
  pass(COOLDOWN_S - 1)
  refused(await send(await token()))
  pass(1)
  accepted(await send(await token()))
})

test('500 unknown keys at once make one fetch in each cool-down', async (t) => {
  const watched = await watchKnowing(t)
  const { issuer } = watched.running
  for (const fetches of [2, 3]) {
    for (const reply of await storm(watched, 500)) refused(reply)
    watched.pass(COOLDOWN_S - 1)
    for (const reply of await storm(watched, 20)) refused(reply)
    assert.equal(issuer.jwksRequests(), fetches)
    watched.pass(1)
  }
})

test('during an outage 500 unknown keys answer 503, one fetch in each cool-down', async (t) => {
  const watched = await watchKnowing(t)
  const { running, token, send, pass } = watched
  await running.issuer.stop()
  const noKeys = JSON.stringify({ keys: [] })
  const failing = await standIn(t, (_, response) => response.writeHead(500).end(noKeys), running.issuer.url)
  for (const fetches of [1, 2, 3]) {
    for (const reply of await storm(watched, 500)) unavailable(reply)
    pass(COOLDOWN_S - 1)
    for (const reply of await storm(watched, 20)) unavailable(reply)
    assert.equal(failing.asked.length, fetches)
    pass(1)
  }
  assert.equal((await running.request('GET', '/health/ready')).body.dependencies.issuer, 'down')

  await failing.stop()
  await running.issuer.resume()
  await running.issuer.rotateKey()
  accepted(await send(await token()))
  for (const reply of await storm(watched, 20)) refused(reply)
  assert.equal((await running.request('GET', '/health/ready')).body.dependencies.issuer, 'up')
})

test('known keys serve for an hour of an outage, whether a token is new or not, and no longer', async (t) => {
  const { running, token, send, pass, settled } = await watchKnowing(t)
  const early = await token()
  accepted(await send(early))
  await running.issuer.stop()
  const hour = [REFRESH_AFTER_S, MAX_AGE_S, 1, COOLDOWN_S, 2_000]
  const rest = MAX_OUTAGE_S - COOLDOWN_S - hour.reduce((sum, seconds) => sum + seconds, 1)
  for (const seconds of [...hour, rest]) {
    pass(seconds)
    accepted(await send(early))
    accepted(await send(await token()))
    await settled()
  }
  pass(1)
  for (const late of [early, await token()]) unavailable(await send(late))

  await running.issuer.resume()
  pass(COOLDOWN_S)
  accepted(await send(early))
})

test('an issuer that does not answer delays no caller whose key is in use', async (t) => {
  const { running, token, send, pass } = await watchKnowing(t)
  const early = await token()
  accepted(await send(early))
  await running.issuer.stop()
  let givenUp = false
  const silent = await standIn(
    t,
    (_, response) => {
      response.on('close', () => {
        givenUp = true
      })
    },
    running.issuer.url,
  )
  pass(REFRESH_AFTER_S)
  accepted(await send(early))
  accepted(await send(await token()))
  await t.waitFor(() => assert.equal(silent.asked.length, 1), { timeout: 4_000 })
  assert.equal(givenUp, false)
})

test('keys that are too large are not read to the end', async (t) => {
  const { running, token, send, settled } = await watchKnowing(t)
  await running.issuer.stop()
  await standIn(
    t,
    (_, response) => response.end(`{"keys":[],"x":"${'x'.repeat(2 ** 20)}"}`),
    running.issuer.url,
  )
  unavailable(await settled())
  accepted(await send(await token()))
})

test('an issuer that publishes no keys is down, and its known keys stay', async (t) => {
  const { running, token, send, settled } = await watchKnowing(t)
  await running.issuer.stop()
  await standIn(t, (_, response) => response.end('{"keys":[]}'), running.issuer.url)
  unavailable(await settled())
  accepted(await send(await token()))
  assert.equal((await running.request('GET', '/health/ready')).body.dependencies.issuer, 'down')
})

test('nonsense in place of the keys replaces none', async (t) => {
  const { running, token, send, pass, settled } = await watchKnowing(t)
  const { issuer } = running
  await issuer.stop()
  for (const text of ['', '{', 'null', '[]', '{}', '{"keys":{}}', '{"keys":[7]}']) {
    const nonsense = await standIn(t, (_, response) => response.end(text), issuer.url)
    unavailable(await settled())
    accepted(await send(await token()))
    assert.equal(nonsense.asked.length, 1)
    await nonsense.stop()
    pass(COOLDOWN_S)
  }
  const elsewhere = await standIn(t, (_, response) => response.end(JSON.stringify({ keys: [] })))
  const moved = { location: elsewhere.url }
  await standIn(t, (_, response) => response.writeHead(302, moved).end(), issuer.url)
  unavailable(await settled())
  assert.deepEqual(elsewhere.asked, [])
})

test('a console that starts during an outage answers 503, then recovers by itself', async (t) => {
  const { running, token, send, pass } = await watch(t)
  await running.issuer.stop()
  for (const reply of await Promise.all([token(), token(), token()].map(async (each) => send(await each)))) {
    unavailable(reply)
  }
  await running.issuer.resume()
  pass(COOLDOWN_S - 1)
  unavailable(await send(await token()))
  assert.equal(running.issuer.jwksRequests(), 0)
  pass(1)
  accepted(await send(await token()))
})

test('a token that no key could make good is refused without asking for any', async (t) => {
  const { running, token, send } = await watch(t)
  await running.issuer.stop()
  refused(await send('no.token.whatever'))
  const [, payload, signature] = (await token()).split('.')
  const { kid } = running.issuer.signingKey()
  for (const alg of ['none', 'HS256', 'HS384', 'HS512', 'ES256K', 'ML-DSA-44']) {
    const header = Buffer.from(JSON.stringify({ alg, kid })).toString('base64url')
    refused(await send(`${header}.${payload}.${signature}`))
  }
  assert.equal((await running.request('GET', '/health/ready')).body.dependencies.issuer, 'unknown')
})

test('a discovery document that names another issuer is not believed', async (t) => {
  const impostor = await standIn(t, (request, response) => {
    const document = { issuer: 'https://issuer.test', jwks_uri: `http://${request.headers.host}/jwks` }
    response.end(JSON.stringify(document))
  })
  const { token, send } = await watch(t, { AUTH_ISSUER: impostor.url })
  unavailable(await send(await token()))
  assert.deepEqual(impostor.asked, ['/.well-known/openid-configuration'])
})

test('AUTH_JWKS_URL is used where it is given, and nothing is discovered', async (t) => {
  const keys: unknown[] = []
  const published = await standIn(t, (_, response) => response.end(JSON.stringify({ keys })))
  const { running, token, send } = await watch(t, {
    AUTH_ISSUER: 'https://issuer.invalid',
    AUTH_JWKS_URL: `${published.url}/keys.json`,
  })
  keys.push(running.issuer.signingKey().publicJwk)
  accepted(await send(await token()))
  assert.deepEqual(published.asked, ['/keys.json'])
  assert.equal(running.issuer.jwksRequests(), 0)
})

test('an issuer that moves its keys is found again', async (t) => {
  const moving = { path: '/old', keys: [] as unknown[] }
  const issuer = await standIn(t, (request, response) => {
    if (request.url === moving.path) response.end(JSON.stringify({ keys: moving.keys }))
    else if (!request.url?.startsWith('/.well-known/')) response.writeHead(404).end()
    else response.end(JSON.stringify({ issuer: issuer.url, jwks_uri: issuer.url + moving.path }))
  })
  const { running, token, send, pass } = await watch(t, { AUTH_ISSUER: issuer.url })
  moving.keys = [running.issuer.signingKey().publicJwk]
  accepted(await send(await token()))
  await running.issuer.rotateKey()
  Object.assign(moving, { path: '/new', keys: [running.issuer.signingKey().publicJwk] })
  pass(COOLDOWN_S)
  unavailable(await send(await token()))
  pass(COOLDOWN_S)
  accepted(await send(await token()))
})
