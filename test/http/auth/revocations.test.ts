import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Reply, TestConsole } from '../../support/console.ts'
import { CHANGED_AT, REVOCATIONS, REVOKED } from '../../support/forgeries.ts'
import { accepted, refused } from '../../support/identity-scene.ts'
import { watch } from '../../support/identity-watch.ts'
import { startRevocations } from '../../support/revocation-list.ts'

const POLL_S = 2
const EFFECT_S = 5
const DETAIL = 'The token has been revoked. Get a new one from the issuer.'

async function watchRevocations(t: TestContext) {
  const list = await startRevocations(t)
  return { ...(await watch(t, { AUTH_REVOCATIONS_URL: list.url })), list }
}

const readiness = async ({ request }: TestConsole) => {
  const { body } = await request('GET', '/health/ready')
  return [body.status, body.dependencies.revocations]
}
const metrics = async ({ core }: TestConsole) => {
  const text = await core.metrics.registry.metrics()
  return ['up', ''].map(
    (name) => new RegExp(`^console_revocations${name && '_'}${name} (.+)$`, 'm').exec(text)?.[1],
  )
}
const notLoaded = (reply: Reply<{ code: string; detail: string }>) => {
  assert.deepEqual([reply.status, reply.body.code], [503, 'issuer_unavailable'])
  assert.equal(reply.body.detail, 'The list of revoked tokens could not be loaded yet. Try again shortly.')
  assert.equal(reply.headers.get('retry-after'), String(POLL_S))
}

test('a token or user of the list is refused within 5 s, and others are not', async (t) => {
  const { list, token, send, pass } = await watchRevocations(t)
  const revoked = await Promise.all(Object.values(REVOKED).map((claims) => token({}, claims)))
  const others = await Promise.all([
    token(),
    token({}, { jti: 'revoked-3' }),
    token({}, { sub: 'auth0|changed', iat: CHANGED_AT }),
    token({}, { sub: 'auth0|REVOKED' }),
    // A client or a team of that name is no user.
    token({}, { azp: 'auth0|revoked', team_id: 'auth0|revoked' }),
  ])
  for (const each of [...revoked, ...others]) accepted(await send(each))
  list.publish(REVOCATIONS)
  pass(EFFECT_S)
  for (const each of revoked) refused(await send(each), DETAIL)
  for (const each of others) accepted(await send(each))
  list.publish({ tokens: [], users: [] })
  pass(EFFECT_S)
  for (const each of [...revoked, ...others]) accepted(await send(each))
})

test('a user is refused in whatever form the token and the list write a UUID', async (t) => {
  const { list, token, send, pass } = await watchRevocations(t)
  const [random, named] = ['6F9619FF8B86D0114042B5A1D0BB3A11', '74738FF55367595880F1DE4C8D1C3E2A']
  const tokens = await Promise.all([random, named].map((sub) => token({}, { sub })))
  for (const each of tokens) accepted(await send(each))
  list.publish({ users: [{ id: random }, { id: named }] })
  pass(EFFECT_S)
  for (const each of tokens) refused(await send(each), DETAIL)
})

test('the list is read every 2 s while there are requests, which do not wait for it', async (t) => {
  const { running, list, token, send, pass } = await watchRevocations(t)
  const good = await token({}, { jti: 'one' })
  const isRead = (times: number) =>
    t.waitFor(() => assert.equal(list.asked.length, times), { timeout: 10_000 })
  await Promise.all(Array.from({ length: 20 }, async () => accepted(await send(good))))
  assert.equal(list.asked.length, 1)
  pass(POLL_S - 1)
  accepted(await send(good))
  assert.equal(list.asked.length, 1)
  list.behave(() => {})
  pass(1)
  accepted(await send(good))
  accepted(await send(good))
  await isRead(2)
  assert.deepEqual(await metrics(running), ['1', '0'])
})

test('a list that has not changed is not sent again', async (t) => {
  const { list, token, send, pass } = await watchRevocations(t)
  list.publish({ tokens: ['one'] })
  const revoked = await token({}, { jti: 'one' })
  for (let i = 0; i < 3; i++) {
    refused(await send(revoked), DETAIL)
    pass(EFFECT_S)
  }
  assert.deepEqual(list.asked, [undefined, '"1"', '"1"'])
})

test('while the list cannot be read the last one stays, and readiness and metrics show it', async (t) => {
  const { running, list, token, send, pass } = await watchRevocations(t)
  const [good, revoked] = [await token(), await token({}, { jti: 'one' })]
  const stays = async (state: string) => {
    pass(EFFECT_S)
    accepted(await send(good))
    refused(await send(revoked), DETAIL)
    assert.deepEqual(await readiness(running), [state === 'up' ? 'ready' : 'degraded', state])
    assert.deepEqual(await metrics(running), [state === 'up' ? '1' : '0', '2'])
  }
  assert.deepEqual(
    [await readiness(running), await metrics(running)],
    [
      ['ready', 'unknown'],
      ['Nan', '0'],
    ],
  )
  list.publish({ tokens: ['one'], users: [{ id: 'nobody' }] })
  await stays('up')
  const nonsense = [
    ...[
      '',
      '{',
      'null',
      '[]',
      '"x"',
      '{"token":["one"]}',
      '{"tokens":"one"}',
      '{"tokens":[1]}',
      '{"tokens":[""]}',
    ],
    ...[
      '{"users":["a"]}',
      '{"users":[{}]}',
      '{"users":[{"id":"a","before":"now"}]}',
      '{"users":[{"id":"a","x":1}]}',
    ],
    JSON.stringify({ tokens: Array.from({ length: 100_001 }, (_, i) => `t${i}`) }),
    `{"tokens":["${'x'.repeat(4 * 1024 * 1024)}"]}`,
  ]
  for (const text of nonsense) {
    list.publish(text)
    await stays('down')
  }
  list.behave((response) => response.writeHead(500).end('{}'))
  await stays('down')
  list.behave((response) => response.writeHead(302, { location: list.url }).end())
  await stays('down')
  await list.stop()
  await stays('down')
  await stays('down')
})

test('a console that has never read the list answers 503, then recovers by itself', async (t) => {
  const { list, token, send, pass } = await watchRevocations(t)
  list.behave((response) => response.writeHead(500).end())
  const good = await token()
  notLoaded(await send(good))
  notLoaded(await send(good))
  assert.equal(list.asked.length, 1)
  list.publish({})
  pass(POLL_S)
  // The first request after the failure starts the next read.
  await t.waitFor(async () => accepted(await send(good)), { timeout: 10_000 })
})

test('a token that is not valid does not have the list read', async (t) => {
  const { list, token, send } = await watchRevocations(t)
  refused(await send('no.token.whatever'))
  refused(await send(`${await token()}x`))
  assert.deepEqual(list.asked, [])
})
