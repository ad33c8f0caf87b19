import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it, type TestContext } from 'node:test'
import { jetstreamManager } from '@nats-io/jetstream'
import { SignJWT } from 'jose'
import { createAgent } from '../../support/agents.ts'
import { startConsole } from '../../support/console.ts'
import { useConsoleWithNats } from '../../support/console-with-nats.ts'
import { until } from '../../support/until.ts'
import { canBeWatched, watch } from '../../support/watching.ts'

describe('watching the agents of a team', async () => {
  const { running, nats } = await useConsoleWithNats()
  const person = await running.person()
  await canBeWatched(running.url, person.token)

  /** Another replica of the same console, which has just started. */
  const startReplica = async (t: TestContext) => {
    const replica = await startConsole({
      environment: {
        ...nats.environment,
        DATABASE_URL: running.database.url,
        AUTH_ISSUER: running.issuer.url,
        RELAY: 'off',
      },
    })
    t.after(() => replica.close())
    await canBeWatched(replica.url, person.token)
    return replica
  }
  /** A new agent, and the position after its event. */
  const createAndWatch = async () => {
    const watching = await watch(running.url, person)
    const agent = await createAgent(running, person)
    await until('its event arrives', () => watching.seen.some(({ event }) => event.subject === agent.id))
    watching.stop()
    return { agent, lastEventId: watching.position() as string }
  }
  const rename = (id: string, agent_name: string) =>
    running.request('PUT', `/v1/agent-configurations/${id}`, { token: person.token, json: { agent_name } })
  const revisions = (seen: { event: { data: { revision: number } } }[]) =>
    seen.map(({ event }) => event.data.revision)

  it('sends every change of the own team and none of another', async () => {
    const otherTeam = await running.person()
    const [own, foreign] = await Promise.all([watch(running.url, person), watch(running.url, otherTeam)])
    assert.equal(own.status, 200)
    assert.equal(own.headers.get('cache-control'), 'no-store')
    const agent = await createAgent(running, person)
    await rename(agent.id, 'renamed')
    const theirs = await createAgent(running, otherTeam)
    await Promise.all([own.waitFor(2), foreign.waitFor(1)])
    assert.deepEqual(
      own.seen.map(({ event }) => [event.id, event.data.team_id]),
      [
        [`${agent.id}:1`, person.team],
        [`${agent.id}:2`, person.team],
      ],
    )
    assert.deepEqual(
      foreign.seen.map(({ event }) => event.subject),
      [theirs.id],
    )
    own.stop()
    foreign.stop()
  })

  it('sends only changes of the agents that were asked for', async () => {
    const wanted = await createAgent(running, person)
    const { agent: other, lastEventId } = await createAndWatch()
    const watching = await watch(running.url, { ...person, lastEventId, agentIds: [wanted.id, randomUUID()] })
    await rename(other.id, 'of no interest')
    await rename(wanted.id, 'of interest')
    await watching.waitFor(1)
    assert.deepEqual(
      watching.seen.map(({ event }) => event.subject),
      [wanted.id],
    )
    watching.stop()
  })

  it('takes as many agents as it says, and refuses more: 422', async () => {
    const agentIds = Array.from({ length: 200 }, () => randomUUID())
    const watching = await watch(running.url, { ...person, agentIds })
    assert.equal(watching.status, 200)
    watching.stop()
    const refused = await watch(running.url, { ...person, agentIds: [...agentIds, randomUUID()] })
    assert.equal(refused.status, 422)
    assert.deepEqual(refused.body, {
      detail: [
        {
          loc: ['query', 'agent_ids'],
          msg: 'List should have at most 200 items after validation, not 201',
          type: 'too_long',
        },
      ],
    })
  })

  it("another team's agent is silent, as one that does not exist", async () => {
    const otherTeam = await running.person()
    const agent = await createAgent(running, person)
    const watching = await watch(running.url, { ...otherTeam, agentIds: [agent.id] })
    await rename(agent.id, 'not for other teams')
    const own = await createAgent(running, otherTeam)
    const all = await watch(running.url, { ...otherTeam, lastEventId: watching.position() })
    await all.waitFor(1)
    assert.equal(all.seen[0]?.event.subject, own.id)
    assert.deepEqual(watching.seen, [])
    watching.stop()
    all.stop()
  })

  it('goes on after Last-Event-ID', async () => {
    const { lastEventId } = await createAndWatch()
    const agent = await createAgent(running, person)
    await rename(agent.id, 'two')
    const second = await watch(running.url, { ...person, lastEventId })
    await second.waitFor(2)
    second.stop()
    await rename(agent.id, 'three')
    const third = await watch(running.url, { ...person, lastEventId: second.seen[0]?.id })
    await third.waitFor(2)
    assert.deepEqual(revisions(second.seen), [1, 2])
    assert.deepEqual(revisions(third.seen), [2, 3])
    third.stop()
  })

  it('goes on where nothing but a position was seen', async () => {
    await createAndWatch()
    const quiet = await watch(running.url, person)
    await until('a position arrives', () => quiet.position() !== undefined)
    quiet.stop()
    const agent = await createAgent(running, person)
    const watching = await watch(running.url, { ...person, lastEventId: quiet.position() })
    await watching.waitFor(1)
    assert.equal(watching.seen[0]?.event.id, `${agent.id}:1`)
    watching.stop()
  })

  it('goes on at another replica, which has just started', async (t) => {
    const { agent, lastEventId } = await createAndWatch()
    await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => rename(agent.id, name)))
    const replica = await startReplica(t)
    const watching = await watch(replica.url, { ...person, lastEventId })
    await watching.waitFor(6)
    assert.deepEqual(revisions(watching.seen), [2, 3, 4, 5, 6, 7])
    watching.stop()
  })

  it('refuses a position that is of another stream or epoch, not yet there, or too old: 410', async (t) => {
    const { lastEventId: newest } = await createAndWatch()
    const [createdAt = '', epoch = '', sequence = ''] = newest.split('-')
    const refuses = async (url: string, lastEventId: string) => {
      const refused = await watch(url, { ...person, lastEventId })
      assert.equal(refused.status, 410, lastEventId)
      assert.equal((refused.body as { code: string }).code, 'position_expired')
    }
    await refuses(running.url, `1${createdAt.slice(1)}-${epoch}-${sequence}`)
    await refuses(running.url, `${createdAt}-${epoch}-${Number(sequence) + 1_000}`)
    await refuses(running.url, `${createdAt}-0-${sequence}`)
    await refuses(running.url, `${createdAt}-2-${sequence}`)
    const { streams } = await jetstreamManager(nats.connection)
    await streams.purge(nats.stream, { seq: Number(sequence) })
    const replica = await startReplica(t)
    await refuses(replica.url, `${createdAt}-${epoch}-${Number(sequence) - 2}`)
    const lastEventId = `${createdAt}-${epoch}-${Number(sequence) - 1}`
    const kept = await watch(replica.url, { ...person, lastEventId })
    await kept.waitFor(1)
    kept.stop()
  })

  it('refuses what is no position: 422', async () => {
    const { status } = await watch(running.url, { ...person, lastEventId: 'yesterday' })
    assert.equal(status, 422)
  })

  it('needs agent:read', async () => {
    const other = await running.person({ scope: 'agent:write' })
    assert.equal((await watch(running.url, other)).status, 403)
  })

  it('ends when the token expires', async () => {
    const { kid, alg, privateKey } = running.issuer.signingKey()
    const token = await new SignJWT({ team_id: person.team, scope: 'agent:read' })
      .setProtectedHeader({ alg, kid })
      .setIssuer(running.issuer.url)
      .setAudience(running.issuer.audience)
      .setSubject(person.user)
      .setExpirationTime('2s')
      .sign(privateKey)
    const watching = await watch(running.url, { token })
    assert.equal(watching.status, 200)
    assert.equal(await watching.ended, 'ended')
  })

  it('ends with the replica, which does not wait for it', async () => {
    const own = await startConsole({ environment: { ...nats.environment, RELAY: 'off' } })
    const user = await own.person()
    await canBeWatched(own.url, user.token)
    const watching = await watch(own.url, user)
    const closing = own.close()
    assert.equal(await watching.ended, 'ended')
    await closing
  })

  it('answers 503 where no NATS is configured', async (t) => {
    const without = await startConsole()
    t.after(() => without.close())
    const refused = await watch(without.url, await without.person())
    assert.equal(refused.status, 503)
    assert.equal((refused.body as { code: string }).code, 'events_not_configured')
  })
})
