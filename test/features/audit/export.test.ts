import assert from 'node:assert/strict'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import { newId } from '../../../src/api/uuid.ts'
import type { AuditEvent } from '../../../src/features/audit/schema.ts'
import { createAgent, putAgent } from '../../support/agents.ts'
import { addAuditEvents } from '../../support/audit-months.ts'
import { type Person, useConsole } from '../../support/console.ts'
import { placesTaken } from '../../support/places.ts'
import { until } from '../../support/until.ts'

const EXPORT = '/v1/audit-events/export'
const LATER = 281_474_976_000

describe('an export of the audit log', async () => {
  let clockMs = 0
  const now = () => Date.now() + clockMs
  const running = await useConsole({ overrides: { now, newId: () => newId(now()) } })

  const exportAs = ({ token }: Person, query = `?until=${LATER}`) =>
    running.request('GET', EXPORT + query, { token })
  const linesOf = (lines: string): AuditEvent[] => {
    assert.ok(lines === '' || lines.endsWith('\n'))
    return lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as AuditEvent)
  }
  const list = async ({ token }: Person, query = ''): Promise<AuditEvent[]> =>
    (await running.request('GET', `/v1/audit-events?limit=500${query}`, { token })).body.results

  it('has one event in each line, as the list has them, oldest first', async () => {
    const person = await running.person()
    const other = await running.person()
    const { id } = await createAgent(running, person)
    for (const purpose of ['a', 'b', 'c']) await putAgent(running, person, id, { purpose })
    await createAgent(running, other)
    const listed = await list(person)
    const { status, headers, text: body } = await exportAs(person)
    assert.equal(status, 200)
    assert.equal(headers.get('content-type'), 'application/x-ndjson')
    assert.equal(headers.get('cache-control'), 'no-store')
    // The record of the export itself is stored before the export begins.
    assert.deepEqual(linesOf(body).slice(0, -1), listed.toReversed())
  })

  it('leaves a record with its parameters', async () => {
    const person = await running.person()
    const query = `?user_id=${person.user}&action=agent_updated&until=${LATER}&since=5`
    assert.equal((await exportAs(person, query)).text, '')
    const [event] = await list(person)
    assert.equal(event?.action, 'audit_exported')
    assert.deepEqual(event?.detail, {
      ...{ user_id: person.user, action: 'agent_updated', until: LATER, since: 5 },
    })
  })

  it('ends a minute before now unless told otherwise, so that the next one misses nothing', async () => {
    const person = await running.person()
    const { id } = await createAgent(running, person)
    assert.equal((await exportAs(person, '')).text, '')
    clockMs += 62_000
    const [created, ...rest] = linesOf((await exportAs(person, '')).text)
    assert.deepEqual([created?.action, rest.length], ['agent_created', 1])
    assert.equal(rest[0]?.action, 'audit_exported')
    await putAgent(running, person, id, { purpose: 'a' })
    clockMs += 62_000
    const next = linesOf((await exportAs(person, `?after_id=${rest[0]?.id}`)).text)
    assert.deepEqual(
      next.map(({ action }) => action),
      ['audit_exported', 'agent_updated'],
    )
  })

  it('misses no event of an agent that a replica with a fast clock has changed before', async () => {
    const person = await running.person()
    const { id } = await createAgent(running, person)
    clockMs += 40_000
    await putAgent(running, person, id, { purpose: 'fast' })
    clockMs -= 40_000
    await putAgent(running, person, id, { purpose: 'late' })
    await createAgent(running, person)
    clockMs += 62_000
    const exported = linesOf((await exportAs(person, '')).text)
    assert.deepEqual(
      exported.map(({ action }) => action),
      ['agent_created', 'agent_updated', 'agent_created'],
    )
    clockMs += 62_000
    const rest = linesOf((await exportAs(person, `?after_id=${exported.at(-1)?.id}`)).text)
    const changes = [...exported, ...rest].filter(({ action }) => action === 'agent_updated')
    assert.deepEqual(
      changes.map(({ detail }) => detail['revision']),
      [3, 2],
    )
  })

  it('has no HEAD, which would read the whole log', async () => {
    const { token } = await running.person()
    assert.equal((await running.request('HEAD', EXPORT, { token })).status, 405)
  })

  it('needs the permission audit:read', async () => {
    const { team } = await running.person()
    const refused = await running.person({ team, scope: 'agent:read agent:write agent:delete' })
    assert.equal((await exportAs(refused)).status, 403)
    assert.equal((await exportAs(await running.person({ team, scope: 'audit:read' }))).status, 200)
  })

  describe('of many events', async () => {
    const COUNT = 40_000
    const person = await running.person()
    await addAuditEvents(running.database, { team: person.team, count: COUNT, days: 20 })

    /** Opens an export and leaves its body unread. */
    const open = (query = '') =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const headers = { authorization: `Bearer ${person.token}` }
        httpRequest(`${running.url}${EXPORT}${query}`, { headers, agent: false }, resolve)
          .on('error', reject)
          .end()
      })
    const isIdle = async () => (await placesTaken(running, 'searches')) === 0

    it('can be cut off anywhere, and continued after the last complete line', async () => {
      const seen: string[] = []
      let query = ''
      for (let stop = 1_000; ; stop += 9_000) {
        const response = await open(query)
        let received = ''
        for await (const chunk of response) {
          received += chunk
          if (received.length > stop * 200) break
        }
        const isComplete = response.complete
        response.destroy()
        const complete = linesOf(received.slice(0, received.lastIndexOf('\n') + 1))
        seen.push(...complete.filter(({ action }) => action !== 'audit_exported').map(({ id }) => id))
        if (isComplete) break
        query = `?after_id=${complete.at(-1)?.id}`
      }
      assert.equal(seen.length, COUNT)
      assert.deepEqual(seen, [...new Set(seen)].toSorted())
    })

    it('holds no place at the database while the client does not read', async () => {
      const responses = await Promise.all(Array.from({ length: 5 }, () => open()))
      await until('no page is read', isIdle)
      // Other searches are served at once.
      for (let n = 0; n < 5; n++) assert.equal((await list(person, '&via=api')).length, 500)
      assert.ok(await isIdle())
      for (const response of responses) response.destroy()
    })

    it('breaks off if the database fails, so that it does not look complete', async () => {
      const response = await open()
      await until('no page is read', isIdle)
      const session = new Client({ connectionString: running.database.url })
      await session.connect()
      await session.query('BEGIN; LOCK TABLE audit_events IN ACCESS EXCLUSIVE MODE')
      const reading = text(response)
      await assert.rejects(reading, { code: 'ECONNRESET' })
      assert.equal(response.complete, false)
      await session.end()
    })

    it('is limited in number, and by the teams’ shares', async () => {
      const responses: IncomingMessage[] = []
      let last: IncomingMessage
      do {
        last = await open()
        responses.push(last)
      } while (last.statusCode === 200 && responses.length < 40)
      assert.deepEqual([last.statusCode, responses.length], [429, 17])
      assert.equal((await exportAs(await running.person())).status, 200)
      for (const response of responses) response.destroy()
      await until('there is room again', async () => {
        const response = await open()
        response.destroy()
        return response.statusCode === 200
      })
    })
  })
})
