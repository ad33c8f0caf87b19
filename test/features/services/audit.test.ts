import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { migrate } from '../../../scripts/migrate.ts'
import { findEvents, insertEvents, type TeamEvent } from '../../../src/features/audit/queries.ts'
import type { AuditEvent } from '../../../src/features/audit/schema.ts'
import type { Behind } from '../../support/behind.ts'
import { closeAfter } from '../../support/close-after.ts'
import type { Person } from '../../support/console.ts'
import { operation, useMounted } from '../../support/mounted.ts'
import { namedPerson } from '../../support/named-person.ts'
import { startPrivatePostgres } from '../../support/private-postgres.ts'
import { until } from '../../support/until.ts'

describe('a call of a mounted operation', async () => {
  const methods = ['GET', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
  const { running, behind, upstream } = await useMounted({
    operations: methods.map((method) => operation({ method, operationId: `${method}Thing` })),
    ...{ deadlineMs: 10_000, maxRequestBytes: 100 },
  })
  const things = behind['things'] as Behind
  const eventsOf = async ({ token }: Person) => {
    const { body } = await running.request<{ results: AuditEvent[] }>('GET', '/v1/audit-events', { token })
    return body.results
  }
  /** The events once there are so many of them. */
  const waitFor = async (person: Person, count: number) => {
    await until(`there are ${count} audit events`, async () => (await eventsOf(person)).length >= count)
    return eventsOf(person)
  }
  const send = ({ token }: Person, method: string, options: object = {}) =>
    running.request(method, '/v1/things/7', { token, ...options })

  it('leaves an audit event if it may change something, and none if it reads', async () => {
    const person = await running.person()
    things.behave((_request, response) => response.writeHead(202).end('{}'))
    for (const method of ['GET', 'HEAD', 'OPTIONS']) await send(person, method)
    const requestId = randomUUID()
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      assert.equal((await send(person, method, { headers: { 'x-request-id': requestId } })).status, 202)
    }
    const events = await waitFor(person, 4)
    assert.equal(events.length, 4)
    assert.deepEqual(
      events.map(({ detail: { duration_ms: duration, ...detail }, ...event }) => {
        assert.ok(Number.isSafeInteger(duration) && (duration as number) >= 0)
        assert.ok(Math.abs(event.at - Date.now() / 1_000) < 60)
        return {
          action: event.action,
          user: event.user_id,
          agent: event.agent_id,
          request: event.request_id,
          detail,
        }
      }),
      ['DELETE', 'PATCH', 'PUT', 'POST'].map((method) => ({
        ...{ action: 'service_called', user: person.user, agent: null, request: requestId },
        detail: {
          ...{
            service: 'things',
            operation_id: `${method}Thing`,
            method,
            route: '/v1/things/{id}',
            status: 202,
          },
        },
      })),
    )
  })

  it('is recorded with the status that the client gets when the service fails, and with the name of the user', async () => {
    const person = await namedPerson(running, { name: 'Ann Lee' })
    things.behave((_request, response) => response.writeHead(500).end())
    await send(person, 'POST')
    await until('the name is stored', async () => (await eventsOf(person))[0]?.changed_by_name === 'Ann Lee')
    things.behave((_request, response) => response.writeHead(409).end('{}'))
    await send(person, 'POST')
    assert.deepEqual(
      (await waitFor(person, 2)).map(({ detail }) => detail['status']),
      [409, 502],
    )
  })

  it('is recorded when its client disconnects: the service may have done it', async () => {
    const person = await running.person()
    const arrived = Promise.withResolvers<void>()
    things.behave(() => arrived.resolve())
    const leaving = new AbortController()
    const call = fetch(`${running.url}/v1/things/7`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.token}` },
      signal: leaving.signal,
    }).catch(() => {})
    await arrived.promise
    leaving.abort()
    await call
    assert.deepEqual(
      (await waitFor(person, 1)).map(({ detail }) => detail['status']),
      [499],
    )
  })

  it('is not recorded if it was never sent to the service', async () => {
    const person = await running.person()
    things.behave((_request, response) => response.end('{}'))
    assert.equal((await send(person, 'POST', { raw: 'x'.repeat(101) })).status, 413)
    await things.stop()
    assert.equal((await send(person, 'POST')).status, 503)
    await things.resume()
    await until('the service is back', async () => {
      await send(person, 'GET')
      return upstream('things').breaker() === 'closed'
    })
    assert.equal((await send(person, 'PUT')).status, 200)
    assert.deepEqual(
      (await waitFor(person, 1)).map(({ detail }) => detail['method']),
      ['PUT'],
    )
  })
})

describe('while the database is down', async () => {
  const postgres = await startPrivatePostgres()
  closeAfter(() => postgres.remove())
  await migrate(postgres.url, () => {})
  const { running } = await useMounted({
    operations: [operation({ method: 'POST' })],
    environment: { DATABASE_URL: postgres.url },
  })

  it('calls are forwarded, and their audit events are stored when it is back, each once', async () => {
    const { token } = await running.person()
    const call = async () => (await running.request('POST', '/v1/things/7', { token })).status
    const list = () => running.request<{ results: AuditEvent[] }>('GET', '/v1/audit-events', { token })
    assert.equal(await call(), 200)
    await postgres.stop('immediate')
    for (let count = 0; count < 20; count++) assert.equal(await call(), 200)
    await until('the console has noticed', () =>
      running.logLines.some((line) => line.includes('cannot store audit events of service calls')),
    )
    await postgres.start()
    await until('all events are stored', async () => (await list()).body.results?.length >= 21, 20_000)
    assert.equal((await list()).body.results.length, 21)
  })

  it('a batch whose outcome was unknown can be stored again', async () => {
    const event: TeamEvent = {
      ...{ team_id: randomUUID(), id: running.core.newId(), at: 1, user_id: randomUUID() },
      ...{
        action: 'service_called',
        agent_id: null,
        request_id: 'r',
        via: 'api',
        client_id: null,
        detail: {},
      },
    }
    const stored = () =>
      findEvents(
        running.core.database.system,
        event.team_id,
        {},
        { order: 'newest_first', after: undefined, limit: 10 },
      )
    await insertEvents(running.core.database.system, [event])
    await insertEvents(running.core.database.system, [event, { ...event, id: running.core.newId() }])
    assert.equal((await stored()).events.length, 2)
  })
})
