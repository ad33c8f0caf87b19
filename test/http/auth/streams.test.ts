import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { createAgent } from '../../support/agents.ts'
import type { Behind } from '../../support/behind.ts'
import type { TestConsole } from '../../support/console.ts'
import { useConsoleWithNats } from '../../support/console-with-nats.ts'
import { operation, useMounted } from '../../support/mounted.ts'
import { startRevocations } from '../../support/revocation-list.ts'
import { canBeWatched, watch } from '../../support/watching.ts'

const EFFECT_S = 5
const MAX_KEY_AGE_S = 60
const MAX_OUTAGE_S = 3_600

/** A clock that stands still until the test moves it. */
function stillClock() {
  const clock = { ms: Math.floor(Date.now() / 1_000) * 1_000 }
  const pass = (seconds: number) => {
    clock.ms += seconds * 1_000
  }
  return { now: () => clock.ms, pass }
}

/** A token of the person that lives for a day. */
const longToken = (
  { issuer }: TestConsole,
  { user, team }: { user: string; team: string },
  now: number,
  jti: string,
) =>
  issuer.sign({
    ...{ iss: issuer.url, aud: issuer.audience, sub: user, team_id: team, scope: 'agent:read', jti },
    exp: Math.floor(now / 1_000) + 86_400,
  })

describe('a watch', async () => {
  const revocations = await startRevocations({ after })
  const { now, pass } = stillClock()
  const { running } = await useConsoleWithNats({
    overrides: { now },
    environment: { AUTH_REVOCATIONS_URL: revocations.url },
  })
  const person = await running.person()
  const open = async (jti: string) =>
    watch(running.url, { token: await longToken(running, person, now(), jti) })
  await canBeWatched(running.url, person.token)

  it('ends within 5 s when its token is revoked, and no other one does', async () => {
    const [revoked, same, other] = [await open('one'), await open('one'), await open('two')]
    revocations.publish({ tokens: ['one'] })
    pass(EFFECT_S)
    assert.deepEqual([await revoked.ended, await same.ended], ['ended', 'ended'])
    assert.equal((await open('one')).status, 401)
    await createAgent(running, person)
    await other.waitFor(1)
    other.stop()
  })

  it('ends within 5 s when its user is revoked', async () => {
    const watching = await open('three')
    const before = Math.floor(now() / 1_000) + EFFECT_S
    revocations.publish({ users: [{ id: person.user, before }] })
    pass(EFFECT_S)
    assert.equal(await watching.ended, 'ended')
    revocations.publish({})
    pass(EFFECT_S)
  })

  it('ends within a minute when the issuer withdraws the key', async () => {
    const watching = await open('four')
    await running.issuer.rotateKey({ keepOld: false })
    pass(MAX_KEY_AGE_S)
    assert.equal(await watching.ended, 'ended')
  })

  it('goes on when the issuer changes its keys and keeps the old one', async () => {
    const [watching, { token }] = [await open('five'), await running.person()]
    await running.issuer.rotateKey({ keepOld: true })
    pass(MAX_KEY_AGE_S)
    // By now the console has the new keys.
    const fresh = await longToken(running, person, now(), 'six')
    assert.equal((await running.request('GET', '/v1/me', { token: fresh })).status, 200)
    assert.equal((await running.request('GET', '/v1/me', { token })).status, 200)
    const json = { agent_name: 'A', model_name: 'm' }
    const { user, team } = person
    const writer = (await running.person({ user, team })).token
    assert.equal(
      (await running.request('POST', '/v1/agent-configurations', { token: writer, json })).status,
      201,
    )
    await watching.waitFor(1)
    watching.stop()
  })

  it('ends when the issuer has been down for an hour', async () => {
    const watching = await open('seven')
    await running.issuer.stop()
    pass(MAX_OUTAGE_S)
    assert.equal(await watching.ended, 'ended')
    await running.issuer.resume()
  })
})

describe('an event stream of a mounted service', async () => {
  const revocations = await startRevocations({ after })
  const { now, pass } = stillClock()
  const mounted = await useMounted({
    overrides: { now },
    environment: { AUTH_REVOCATIONS_URL: revocations.url },
    operations: [operation()],
  })
  const { running } = mounted
  const person = await running.person()
  ;(mounted.behind['things'] as Behind).behave((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n')
  })
  const open = async (jti: string) => {
    const authorization = `Bearer ${await longToken(running, person, now(), jti)}`
    const sent = httpRequest(`${running.url}/v1/things/1`, { headers: { authorization }, agent: false }).end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    assert.equal(answer.statusCode, 200)
    return answer
  }
  const ends = async (answer: IncomingMessage) => {
    assert.equal((await buffer(answer)).toString(), 'data: 1\n\n')
    assert.ok(answer.complete)
  }

  it('ends, whole, within 5 s when its token is revoked, and no other one does', async () => {
    const [revoked, other] = [await open('one'), await open('two')]
    revocations.publish({ tokens: ['one'] })
    pass(EFFECT_S)
    await ends(revoked)
    assert.equal(other.complete, false)
    other.destroy()
  })

  it('ends within a minute when the issuer withdraws the key', async () => {
    const answer = await open('three')
    await running.issuer.rotateKey({ keepOld: false })
    pass(MAX_KEY_AGE_S)
    await ends(answer)
  })
})
