import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import { AGENT_COLUMNS } from '../../../src/agent/columns.ts'
import type { AgentRevision } from '../../../src/agent/history/schema.ts'
import type { ValidationError } from '../../../src/api/problem.ts'
import type { AgentBulkResult, BulkItemResult } from '../../../src/features/batch/bulk-schema.ts'
import { deleteExpiredBulks } from '../../../src/features/batch/repetition.ts'
import { COLLECTION, codeOf, createAgent, getAgent, putAgent } from '../../support/agents.ts'
import { type Person, useConsole, useReplica } from '../../support/console.ts'
import { until } from '../../support/until.ts'
import { waitingForLock } from '../../support/waiting-for-lock.ts'

const BULK = `${COLLECTION}/bulk`

type Body = AgentBulkResult & { code: string; detail: ValidationError[] | string }

describe('a bulk request', async () => {
  const running = await useConsole()
  const replica = await useReplica(running)

  const send = (
    { token }: Pick<Person, 'token'>,
    json: object,
    headers: Record<string, string> = {},
    { request } = running,
  ) => request<Body>('POST', BULK, { token, json, headers })
  /** Says what `send` would do. */
  const plan = ({ token }: Pick<Person, 'token'>, json: object, headers: Record<string, string> = {}) =>
    running.request<Body>('POST', `${BULK}?dry_run=true`, { token, json, headers })
  const createAgents = (person: Person, count: number, fields: object = {}) =>
    Promise.all(
      Array.from({ length: count }, async (_, n) => {
        const { id } = await createAgent(running, person, { agent_name: `A${n}`, purpose: 'old', ...fields })
        return id
      }),
    )
  const toAgents = (ids: string[]) => ids.map((id) => ({ id }))
  const revisionsOf = async (person: Person, id: string) =>
    (
      await running.request<{ results: AgentRevision[] }>('GET', `${COLLECTION}/${id}/revisions`, {
        token: person.token,
      })
    ).body.results
  const shown = (items: BulkItemResult[]) =>
    items.map(({ id, outcome, revision, fields, error }) => [
      ...[id, outcome, revision, fields.join()],
      error?.code,
    ])

  it('updates each agent by itself and returns a result for each, in order', async () => {
    const person = await running.person()
    const [a, b, c, d] = (await createAgents(person, 4)) as [string, string, string, string]
    await putAgent(running, person, b, { purpose: 'new', model_name: 'm2' })
    await putAgent(running, person, c, { agent_name: 'moved on' })
    const unknown = randomUUID()
    const reply = await send(
      person,
      {
        agents: [{ id: d }, { id: unknown }, { id: c, revision: 1 }, { id: b }, { id: a, revision: 1 }],
        update: { purpose: 'new', model_name: 'm2', made_up: 1 },
      },
      { 'console-change-reason': 'because' },
    )
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(shown(reply.body.results), [
      [d, 'changed', 2, 'model_name,purpose', undefined],
      [unknown, 'failed', null, '', 'agent_not_found'],
      [c, 'failed', null, '', 'revision_stale'],
      [b, 'unchanged', 2, '', undefined],
      [a, 'changed', 2, 'model_name,purpose', undefined],
    ])
    assert.deepEqual(reply.body.counts, { changed: 2, unchanged: 1, would_change: 0, failed: 2 })
    assert.equal(reply.headers.get('console-ignored-fields'), 'made_up')
    for (const id of [a, d]) {
      const [last] = await revisionsOf(person, id)
      assert.deepEqual([last?.action, last?.reason, last?.revision], ['updated', 'because', 2])
      const events = await running.database.query('SELECT FROM outbox WHERE aggregateid = $1', [id])
      const audit = await running.request('GET', `/v1/audit-events?agent_id=${id}`, { token: person.token })
      assert.equal(events.length, 2)
      assert.deepEqual(audit.body.results[0].detail, { revision: 2, fields: ['model_name', 'purpose'] })
    }
    assert.equal((await getAgent(running, person, c)).body.purpose, 'old')
  })

  it('reads the values as an update of one agent does', async () => {
    const person = await running.person()
    const guard = randomUUID()
    const update = { test_score: 1.5, guard_config_id: guard.toUpperCase(), hub: null, purpose: null }
    const [a, b] = (await createAgents(person, 2)) as [string, string]
    const id = `urn:uuid:${a.toUpperCase()}`
    assert.equal((await send(person, { agents: [{ id }], update })).body.counts.changed, 1)
    await putAgent(running, person, b, update)
    const [one, other] = [await getAgent(running, person, a), await getAgent(running, person, b)]
    assert.deepEqual(one.body, {
      ...other.body,
      ...{
        id: a,
        agent_name: one.body.agent_name,
        created_at: one.body.created_at,
        updated_at: one.body.updated_at,
      },
    })
    const again = await send(person, { agents: [{ id: a }], update })
    assert.equal(again.body.results[0]?.outcome, 'unchanged')
  })

  it('moves agents to another trust stage, and deletes them', async () => {
    const person = await running.person()
    const [a, b] = (await createAgents(person, 2)) as [string, string]
    const moved = await send(person, {
      agents: toAgents([a, b]),
      lifecycle: { trust_stage: 'tested', reason: 'passed' },
    })
    assert.deepEqual(shown(moved.body.results), [
      [a, 'changed', 2, 'trust_stage', undefined],
      [b, 'changed', 2, 'trust_stage', undefined],
    ])
    assert.equal((await revisionsOf(person, b))[0]?.reason, 'passed')
    const deleted = await send(person, { agents: [{ id: a }, { id: b, revision: 1 }], delete: {} })
    assert.deepEqual(shown(deleted.body.results), [
      [a, 'changed', 3, '', undefined],
      [b, 'failed', null, '', 'revision_stale'],
    ])
    assert.equal((await getAgent(running, person, a)).status, 404)
    const recover = await running.request('POST', `${COLLECTION}/${a}/recover`, { token: person.token })
    assert.equal(recover.status, 200)
    await send(person, { agents: [{ id: a }], delete: { erase: true } })
    const erased = await running.request('POST', `${COLLECTION}/${a}/recover`, { token: person.token })
    assert.equal(erased.status, 404)
  })

  it('with dry_run changes nothing and returns changed fields and dependents', async () => {
    const person = await running.person()
    const [a, b, c] = (await createAgents(person, 3)) as [string, string, string]
    await putAgent(running, person, c, { delegated_agents: [{ agent_id: a }] })
    await putAgent(running, person, b, { purpose: 'new' })
    const tables = () =>
      running.database.query(
        `SELECT (SELECT count(*) FROM agent_revisions WHERE team_id = $1) AS revisions,
           (SELECT count(*) FROM bulk_requests WHERE team_id = $1) AS requests`,
        [person.team],
      )
    const before = await tables()
    const agents = [...toAgents([a, b]), { id: c, revision: 1 }]
    for (const change of [
      { update: { purpose: 'new' } },
      { lifecycle: { trust_stage: 'tested' } },
      { delete: {} },
    ]) {
      const headers = { 'idempotency-key': 'dry' }
      const { status, body, text } = await plan(person, { agents, ...change }, headers)
      assert.equal(status, 200, text)
      assert.equal(body.dry_run, true)
      const [first, second, third] = body.results
      assert.deepEqual([first?.outcome, first?.revision], ['would_change', 1])
      assert.deepEqual(first?.impact, {
        ...{ agent_id: a, dependents: 1, has_more: false, strongest_trust_stage: 'registered' },
      })
      assert.equal(second?.outcome, 'update' in change ? 'unchanged' : 'would_change')
      assert.equal(third?.error?.code, 'revision_stale')
      assert.equal(third?.impact, null)
    }
    assert.deepEqual(await tables(), before)
    const update = { purpose: 'x', hub: 'y' }
    const planned = await plan(person, { agents: toAgents([a, b]), update })
    assert.deepEqual(planned.body.results[0]?.fields, ['hub', 'purpose'])
    // Sent back, the revisions refuse what has changed since.
    await putAgent(running, person, a, { purpose: 'theirs' })
    const seen = planned.body.results.map(({ id, revision }) => ({ id, revision }))
    const done = await send(person, { agents: seen, update })
    assert.deepEqual(
      done.body.results.map(({ outcome, error }) => error?.code ?? outcome),
      ['revision_stale', 'changed'],
    )
  })

  it('by filters changes what matches, if that is the expected number', async () => {
    const person = await running.person()
    const ids = await createAgents(person, 3, { hub: 'h1' })
    const [other] = await createAgents(person, 1, { hub: 'h2' })
    const filters = { hubs: ['h1'] }
    for (const [expected_count, message] of [
      [2, /match 3 agents, and expected_count is 2\./],
      [4, /match 3 agents, and expected_count is 4\./],
    ] as const) {
      const reply = await send(person, { filters, expected_count, update: { purpose: 'new' } })
      assert.deepEqual([reply.status, codeOf(reply)], [409, 'match_count_differs'])
      assert.match(reply.text, message)
    }
    const missing = await send(person, { filters, update: { purpose: 'new' } })
    assert.equal(missing.status, 422)
    assert.deepEqual((missing.body.detail as ValidationError[])[0]?.loc, ['body', 'expected_count'])
    const dry = await plan(person, { filters, update: { purpose: 'new' } })
    assert.deepEqual(
      dry.body.results.map(({ id }) => id),
      ids.toSorted(),
    )
    const done = await send(person, { filters, expected_count: 3, update: { purpose: 'new' } })
    assert.equal(done.body.counts.changed, 3)
    assert.equal((await getAgent(running, person, other as string)).body.purpose, 'old')
    const none = await send(person, { filters: { hubs: ['no'] }, expected_count: 0, delete: {} })
    assert.deepEqual(none.body.results, [])
  })

  it('by filters does not change an agent that was changed after it was found', async () => {
    const person = await running.person()
    const [id] = await createAgents(person, 1, { hub: 'h1' })
    const writer = new Client({ connectionString: running.database.url })
    await writer.connect()
    await writer.query('BEGIN')
    await writer.query(`UPDATE agents SET revision = 2, hub = 'h2' WHERE id = $1`, [id])
    const reply = send(person, { filters: { hubs: ['h1'] }, expected_count: 1, delete: { erase: true } })
    await until('it waits', async () => (await waitingForLock(running.database)).length === 1)
    await writer.query('COMMIT')
    await writer.end()
    assert.deepEqual(shown((await reply).body.results), [[id, 'failed', null, '', 'revision_stale']])
    assert.equal((await getAgent(running, person, id as string)).body.hub, 'h2')
  })

  it('by filters that match more than 500 agents is refused with what to do', async () => {
    const person = await running.person()
    await createAgent(running, person)
    const others = AGENT_COLUMNS.filter((name) => name !== 'id')
    await running.database.query(
      `INSERT INTO agents (id, ${others.join(', ')})
       SELECT gen_random_uuid(), ${others.join(', ')}
       FROM agents, generate_series(1, 500) WHERE team_id = $1`,
      [person.team],
    )
    const reply = await send(person, { filters: {}, expected_count: 500, delete: {} })
    assert.deepEqual([reply.status, codeOf(reply)], [409, 'too_many_matches'])
    assert.match(reply.text, /match 501 agents.*Narrow the filters/)
    await running.database.query(
      'DELETE FROM agents WHERE team_id = $1 AND id = (SELECT min(id::text)::uuid FROM agents WHERE team_id = $1)',
      [person.team],
    )
    const fits = await send(person, { filters: {}, expected_count: 500, update: { purpose: 'all' } })
    assert.equal(fits.body.counts.changed, 500, fits.text.slice(0, 300))
  })

  it('gives agents of another team the results of unknown ids', async () => {
    const [owner, other] = [await running.person(), await running.person()]
    const [theirs] = (await createAgents(owner, 1)) as [string]
    const before = await getAgent(running, owner, theirs)
    const unknown = randomUUID()
    const bodies = [
      { update: { purpose: 'taken' } },
      { lifecycle: { trust_stage: 'tested' } },
      { delete: {} },
    ]
    for (const [change, body] of bodies.flatMap((each) => [[send, each] as const, [plan, each] as const])) {
      for (const extra of [{}, { revision: 1 }]) {
        const headers = { 'console-refuse-if-dependents': 'registered' }
        const [foreign, random] = await Promise.all(
          [theirs, unknown].map(async (id, n) => {
            const person = n === 0 ? other : await running.person()
            return change(person, { agents: [{ id, ...extra }], ...body }, headers)
          }),
        )
        assert.equal(foreign?.body.results[0]?.error?.code, 'agent_not_found')
        assert.equal(foreign?.text.replaceAll(theirs, unknown), random?.text)
      }
    }
    const all = await send(other, { filters: {}, expected_count: 0, update: { purpose: 'taken' } })
    assert.deepEqual(all.body.results, [])
    assert.equal((await getAgent(running, owner, theirs)).text, before.text)
  })

  it('is refused as a whole for what no agent could accept', async () => {
    const person = await running.person()
    const [id] = (await createAgents(person, 1)) as [string]
    const agents = [{ id }]
    const update = { purpose: 'new' }
    const cases: [object, string][] = [
      [{}, 'body'],
      [{ agents }, 'body'],
      [{ update }, 'body'],
      [{ agents, filters: {}, update }, 'body'],
      [{ agents, update, delete: {} }, 'body'],
      [{ agents: [], update }, 'body.agents'],
      [{ agents: Array.from({ length: 501 }, () => ({ id: randomUUID() })), update }, 'body.agents'],
      [{ agents: [{ id: 'x' }], update }, 'body.agents.0.id'],
      [{ agents: [{ id }, { id: id.toUpperCase() }], update }, 'body.agents.1.id'],
      [{ agents: [{ id, revision: 0 }], update }, 'body.agents.0.revision'],
      [{ agents, update: { status: 'no' } }, 'body.update.status'],
      [{ agents, update: { api_key: 'k' } }, 'body.update.api_key'],
      [{ agents, update: { api_key: null } }, 'body.update.api_key'],
      [{ agents, update: { white_box_config: {} } }, 'body.update.white_box_config'],
      [{ agents, update: { agent_url: 'https://u:p@h.test' } }, 'body.update.agent_url'],
      [{ agents, update: { test_score: 1e70 } }, 'body.update.test_score'],
      [{ agents, lifecycle: { trust_stage: 'no' } }, 'body.lifecycle.trust_stage'],
      [
        { agents, lifecycle: { trust_stage: 'tested', reason: 'ghp_0123456789abcdefghijABCDEFGHIJ012345' } },
        'body.lifecycle.reason',
      ],
      [{ filters: { statuses: ['no'] }, expected_count: 1, update }, 'body.filters.statuses.0'],
      [{ filters: {}, expected_count: 501, update }, 'body.expected_count'],
    ]
    for (const [body, loc] of cases) {
      const reply = await send(person, body)
      assert.equal(reply.status, 422, `${loc} ${reply.text}`)
      assert.deepEqual(
        (reply.body.detail as ValidationError[]).map((error) => error.loc.join('.')),
        [loc],
      )
    }
    assert.equal((await revisionsOf(person, id)).length, 1)
  })

  it('with a misspelt member changes nothing, and is told the right name', async () => {
    const person = await running.person()
    const [id] = (await createAgents(person, 1)) as [string]
    const update = { purpose: 'new' }
    const cases: [object, string, RegExp][] = [
      [{ agents: [{ id }], update, dry_run: true }, 'body.dry_run', /not permitted/],
      [{ agents: [{ id, revisions: 7 }], update }, 'body.agents.0.revisions', /use 'revision'/],
      [
        { filters: { status: ['draft'] }, expected_count: 1, update },
        'body.filters.status',
        /use 'statuses'/,
      ],
      [{ agents: [{ id }], delete: { dry_run: true } }, 'body.delete.dry_run', /not permitted/],
    ]
    for (const [body, loc, message] of cases) {
      const reply = await send(person, body)
      assert.equal(reply.status, 422, `${loc} ${reply.text}`)
      const [error, ...others] = reply.body.detail as ValidationError[]
      assert.deepEqual([error?.loc.join('.'), error?.type, others], [loc, 'extra_forbidden', []])
      assert.match(error?.msg ?? '', message)
    }
    assert.equal((await revisionsOf(person, id)).length, 1)
  })

  it('says for each agent what is wrong with its values, and where', async () => {
    const person = await running.person()
    const [a, b] = (await createAgents(person, 2)) as [string, string]
    await running.request('PUT', `${COLLECTION}/${a}/secrets/crm`, {
      token: person.token,
      json: { value: 'of-a' },
    })
    const reply = await send(person, {
      agents: toAgents([a, b]),
      update: { agent_params: { header: { $secret: 'crm' } } },
    })
    assert.deepEqual(
      reply.body.results.map(({ outcome }) => outcome),
      ['changed', 'failed'],
    )
    assert.equal(reply.body.results[1]?.error?.code, 'validation_error')
    assert.deepEqual(reply.body.results[1]?.error?.errors[0]?.loc, [
      'body',
      'update',
      'agent_params',
      'header',
    ])
    const warned = await send(person, {
      agents: [{ id: b }],
      update: { purpose: 'ghp_0123456789abcdefghijABCDEFGHIJ012345' },
    })
    assert.equal(warned.headers.get('console-credential-warnings'), '/purpose')
  })

  it('refuses a change of each agent with dependents by itself, if asked to', async () => {
    const person = await running.person()
    const [a, b, c] = (await createAgents(person, 3)) as [string, string, string]
    await putAgent(running, person, c, { delegated_agents: [{ agent_id: a }] })
    const headers = { 'console-refuse-if-dependents': 'registered' }
    for (const [change, outcome] of [
      [plan, 'would_change'],
      [send, 'changed'],
    ] as const) {
      const update = await change(person, { agents: toAgents([a, b]), update: { model_name: 'm3' } }, headers)
      assert.deepEqual(
        update.body.results.map(({ outcome, error }) => error?.code ?? outcome),
        ['has_dependents', outcome],
      )
      const deletion = await change(person, { agents: [{ id: a }], delete: {} }, headers)
      assert.equal(deletion.body.results[0]?.error?.code, 'has_dependents')
    }
  })

  it('records in the audit log that the change of an agent needs a permission that the caller lacks', async () => {
    const person = await running.person()
    const { id } = await createAgent(running, person, {
      agent_url: 'https://a.test',
      api_key: 'k'.repeat(30),
    })
    const { token } = await running.person({ team: person.team, scope: 'agent:read agent:write' })
    const reply = await send({ token }, { agents: [{ id }], update: { agent_url: 'https://b.test' } })
    assert.equal(reply.body.results[0]?.error?.code, 'permission_missing')
    const audit = await running.request('GET', `/v1/audit-events?agent_id=${id}`, { token: person.token })
    const { action, detail } = audit.body.results[0]
    assert.deepEqual(
      { action, detail },
      {
        action: 'permission_refused',
        detail: { permission: 'agent:secret', method: 'POST', route: BULK },
      },
    )
  })

  describe('with an Idempotency-Key', () => {
    it('sent again returns the first results and changes nothing, whatever happened since', async () => {
      const person = await running.person()
      const ids = await createAgents(person, 3)
      const headers = { 'idempotency-key': randomUUID() }
      await putAgent(running, person, ids[1] as string, { purpose: 'new' })
      const body = { agents: toAgents([...ids, randomUUID()]), update: { purpose: 'new' } }
      const first = await send(person, body, headers)
      assert.deepEqual(first.body.counts, { changed: 2, unchanged: 1, would_change: 0, failed: 1 })
      for (const id of ids) await putAgent(running, person, id, { purpose: 'later' })
      for (const console of [running, replica]) {
        assert.equal((await send(person, body, headers, console)).text, first.text)
      }
      for (const id of ids) assert.equal((await getAgent(running, person, id)).body.purpose, 'later')
      const colleague = await running.person({ team: person.team })
      assert.equal((await send(colleague, body, headers)).body.counts.changed, 3, 'a key belongs to its user')
    })

    it('and another body is refused, and the audit log says so', async () => {
      const person = await running.person()
      const ids = await createAgents(person, 2)
      const headers = { 'idempotency-key': 'k' }
      await send(person, { agents: toAgents(ids), update: { purpose: 'new' } }, headers)
      for (const other of [
        { agents: toAgents(ids), update: { purpose: 'other' } },
        { agents: toAgents(ids.slice(1)), update: { purpose: 'new' } },
        { agents: toAgents(ids), delete: {} },
      ]) {
        const reply = await send(person, other, headers)
        assert.deepEqual([reply.status, codeOf(reply)], [409, 'idempotency_conflict'])
      }
      assert.equal((await revisionsOf(person, ids[0] as string)).length, 2)
      const path = '/v1/audit-events?action=idempotency_conflict'
      const { results } = (await running.request('GET', path, { token: person.token })).body
      assert.deepEqual(
        results.map(({ user_id, agent_id }: { user_id: string; agent_id: string | null }) => [
          user_id,
          agent_id,
        ]),
        Array.from({ length: 3 }, () => [person.user, null]),
      )
    })

    it('works on the agents that the filters matched first', async () => {
      const person = await running.person()
      const ids = await createAgents(person, 2, { status: 'draft' })
      const body = { filters: { statuses: ['draft'] }, expected_count: 2, update: { status: 'active' } }
      const headers = { 'idempotency-key': 'k' }
      const first = await send(person, body, headers)
      await createAgents(person, 2, { status: 'draft' })
      assert.equal((await send(person, body, headers)).text, first.text)
      assert.deepEqual(
        first.body.results.map(({ id }) => id),
        ids.toSorted(),
      )
    })

    it('continues where the first request stopped, and changes no agent twice', async () => {
      const person = await running.person()
      for (const [change, last] of [
        [{ update: { purpose: 'new' } }, { purpose: 'later' }],
        [{ lifecycle: { trust_stage: 'tested' } }, { purpose: 'later' }],
        [{ delete: {} }, undefined],
      ] as const) {
        const ids = await createAgents(person, 4)
        const headers = { 'idempotency-key': randomUUID() }
        const body = { agents: toAgents(ids), ...change }
        const first = await send(person, body, headers)
        // As if the process had been killed after the first two agents.
        const [bulk] = await running.database.query<{ id: string }>(
          'UPDATE bulk_requests SET results = NULL WHERE team_id = $1 AND key = $2 RETURNING id',
          [person.team, `${person.user}:${headers['idempotency-key']}`],
        )
        await running.database.query('DELETE FROM bulk_changes WHERE bulk_id = $1 AND agent_id = ANY ($2)', [
          bulk?.id,
          ids.slice(2),
        ])
        if (last) for (const id of ids) await putAgent(running, person, id, last)
        else
          for (const id of ids)
            await running.request('POST', `${COLLECTION}/${id}/recover`, { token: person.token })
        const again = await send(person, body, headers)
        assert.deepEqual(again.body.results.slice(0, 2), first.body.results.slice(0, 2))
        const done = await Promise.all(ids.map((id) => getAgent(running, person, id)))
        if (!last)
          assert.deepEqual(
            done.map(({ status }) => status),
            [200, 200, 404, 404],
          )
        else if ('update' in change)
          assert.deepEqual(
            done.map((one) => one.body.purpose),
            ['later', 'later', 'new', 'new'],
          )
      }
    })

    it('sent to two replicas at once changes each agent once', async () => {
      const person = await running.person()
      for (const change of [{ update: { purpose: 'new' } }, { delete: {} }]) {
        const ids = await createAgents(person, 40)
        const headers = { 'idempotency-key': randomUUID() }
        const replies = await Promise.all(
          [running, replica].map((console) =>
            send(person, { agents: toAgents(ids), ...change }, headers, console),
          ),
        )
        for (const { body } of replies) assert.equal(body.counts.changed, 40, JSON.stringify(body))
        assert.deepEqual(replies[0]?.body, replies[1]?.body)
        const [row] = await running.database.query<{ revision: number }>(
          'SELECT max(revision)::int AS revision FROM agent_revisions WHERE agent_id = ANY ($1)',
          [ids],
        )
        assert.equal(row?.revision, 2)
      }
    })

    it('expires with its changes', async () => {
      const person = await running.person()
      const ids = await createAgents(person, 2)
      const body = { agents: toAgents(ids), update: { purpose: 'new' } }
      const headers = { 'idempotency-key': 'k' }
      await send(person, body, headers)
      const now = Math.floor(Date.now() / 1_000)
      const rows = () =>
        running.database.query('SELECT FROM bulk_requests UNION ALL SELECT FROM bulk_changes')
      const before = (await rows()).length
      assert.equal(await deleteExpiredBulks(running.core.database.system, now - 60), false)
      assert.equal((await rows()).length, before)
      while (await deleteExpiredBulks(running.core.database.system, now + 60));
      assert.equal((await rows()).length, 0)
      assert.equal((await send(person, body, headers)).body.counts.unchanged, 2)
    })
  })
})
