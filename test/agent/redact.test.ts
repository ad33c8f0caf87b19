import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { ORIGIN_COLUMNS, SETTABLE_COLUMNS } from '../../src/agent/columns.ts'
import { type AgentRevision, REDACTABLE_FIELDS } from '../../src/agent/history/schema.ts'
import { COLLECTION, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { type Person, useConsole } from '../support/console.ts'
import { insertRevisions } from '../support/revisions.ts'

describe('redacting a revision', async () => {
  const running = await useConsole()
  const person = await running.person()

  const redact = (id: string, revision: number, json: unknown, by: Person = person) =>
    running.request('POST', `${COLLECTION}/${id}/revisions/${revision}/redact`, { token: by.token, json })
  const redacted = async (id: string, revision: number, fields: string[]) => {
    const reply = await redact(id, revision, { fields })
    assert.equal(reply.status, 204, reply.text)
  }
  const at = async (id: string, revision: number) =>
    (await getAgent(running, person, `${id}?revision=${revision}`)).body
  const revisionsOf = async (id: string): Promise<AgentRevision[]> =>
    (await running.request('GET', `${COLLECTION}/${id}/revisions`, { token: person.token })).body.results
  const diff = async (id: string, revision: number, against: number) => {
    const path = `${COLLECTION}/${id}/revisions/${revision}/diff?against=${against}`
    return (await running.request('GET', path, { token: person.token })).body.changes
  }
  /** Everything that is stored, as text. */
  const stored = async () => {
    const tables = [
      ...['agents', 'deleted_agents', 'agent_revisions', 'outbox', 'audit_events'],
      ...['delegations', 'agent_filters'],
    ]
    const all = tables.map((table) => `(SELECT string_agg(t::text, ' ') FROM ${table} t)`)
    const [row] = await running.database.query<{ text: string }>(`SELECT concat(${all.join(', ')}) AS text`)
    return row?.text as string
  }

  it('removes the values from every row, and only those', async () => {
    const { id } = await createAgent(running, person, {
      agent_url: 'https://agents.example/?key=canary-url',
      mcp_config: { headers: { authorization: 'canary-header' } },
      agent_params: { key: 'canary-param' },
      purpose: 'kept purpose',
    })
    await putAgent(running, person, id, { hub: 'other' })
    const fields = ['agent_url', 'mcp_config', 'agent_params']
    await putAgent(running, person, id, { agent_url: 'https://agents.example', agent_params: null })
    await putAgent(running, person, id, { mcp_config: { proxy_url: 'https://mcp.example' }, purpose: 'new' })
    assert.match(await stored(), /canary-url[^]*canary-header|canary-header[^]*canary-url/)

    await redacted(id, 2, fields)
    assert.doesNotMatch(await stored(), /canary/)
    for (const revision of [1, 2]) {
      const agent = await at(id, revision)
      assert.deepEqual([agent.agent_url, agent.mcp_config, agent.agent_params], [null, null, null])
      assert.equal(agent.purpose, 'kept purpose')
      assert.equal(agent.hub, revision === 1 ? 'custom' : 'other')
    }
    assert.equal((await at(id, 3)).agent_url, 'https://agents.example')
    assert.equal((await at(id, 3)).mcp_config, null)
    assert.deepEqual((await at(id, 4)).mcp_config, { proxy_url: 'https://mcp.example' })
    assert.deepEqual(
      (await revisionsOf(id)).map((each) => each.redacted),
      [['mcp_config'], ['agent_params', 'agent_url'], [], []],
    )
    const audit = await running.request('GET', `/v1/audit-events?agent_id=${id}&limit=1`, {
      token: person.token,
    })
    const [{ action, user_id, detail }] = audit.body.results
    assert.deepEqual([action, user_id], ['agent_revision_redacted', person.user])
    assert.deepEqual(
      { ...detail, fields: detail.fields.toSorted() },
      { revision: 2, fields: fields.toSorted() },
    )
  })

  it('takes exactly the text and JSON fields, and leaves a placeholder of the right kind', async () => {
    const textAndJson = SETTABLE_COLUMNS.filter(
      ({ type, schema }) => type === 'json' || (type === 'text' && !('enum' in schema)),
    )
    const expected = textAndJson.map(({ name }) => name)
    assert.deepEqual(
      [...REDACTABLE_FIELDS].toSorted(),
      [...expected, ...ORIGIN_COLUMNS.map(({ name }) => name)].toSorted(),
    )
    const values = (text: string) =>
      Object.fromEntries(
        textAndJson.map(({ name, schema }) => {
          const { type, items } = schema as { type?: string; items?: { type?: string } }
          if (type === 'string') return [name, text]
          if (type !== 'array') return [name, { description: text }]
          return [name, [items?.type === 'string' ? text : { name: text }]]
        }),
      )
    const { id } = await createAgent(running, person, values('canary-every-field'))
    await putAgent(running, person, id, values('later'))
    await redacted(id, 1, expected)
    assert.doesNotMatch(await stored(), /canary-every-field/)
    const agent = (await at(id, 1)) as unknown as Record<string, unknown>
    for (const { name, type, ignoresNull } of textAndJson) {
      const placeholder = type === 'json' ? [] : '[redacted]'
      assert.deepEqual(agent[name], ignoresNull ? placeholder : null, name)
    }
  })

  it('refuses a value that the agent still has, and then removes none', async () => {
    const { id } = await createAgent(running, person, { purpose: 'canary-in-use', agent_url: 'old-url' })
    await putAgent(running, person, id, { agent_url: 'new-url' })
    const before = await stored()
    const reply = await redact(id, 1, { fields: ['agent_url', 'purpose'] })
    assert.equal(reply.status, 409)
    assert.deepEqual(reply.body, {
      detail: 'The agent still has this value of purpose. Change the field first, then redact.',
      code: 'value_in_use',
    })
    assert.equal(await stored(), before)
    await putAgent(running, person, id, { purpose: null })
    await redacted(id, 1, ['agent_url', 'purpose'])
    assert.doesNotMatch(await stored(), /canary-in-use|old-url/)
  })

  it('takes nothing but redactable fields, at least one, of a revision that exists', async () => {
    const { id } = await createAgent(running, person, { purpose: 'a' })
    for (const [json, type, loc] of [
      [{ fields: ['status'] }, 'enum', ['body', 'fields', 0]],
      [{ fields: ['purpose', 'api_key'] }, 'enum', ['body', 'fields', 1]],
      [{ fields: ['nonsense'] }, 'enum', ['body', 'fields', 0]],
      [{ fields: [] }, 'too_short', ['body', 'fields']],
      [{ fields: 'purpose' }, 'list_type', ['body', 'fields']],
      [{}, 'missing', ['body', 'fields']],
    ] as const) {
      const reply = await redact(id, 1, json)
      assert.equal(reply.status, 422, reply.text)
      assert.deepEqual([reply.body.detail[0].type, reply.body.detail[0].loc], [type, loc])
    }
    const fields = ['purpose']
    assert.equal((await redact(id, 2, { fields })).body.code, 'revision_not_found')
    assert.equal((await redact(randomUUID(), 1, { fields })).body.code, 'agent_not_found')
    const scope = 'agent:read agent:write agent:lifecycle agent:secret audit:read'
    const reply = await redact(id, 1, { fields }, await running.person({ team: person.team, scope }))
    assert.equal(reply.status, 403)
    assert.match(reply.body.detail, /agent:delete/)
  })

  it('makes a restore keep the current values of these fields', async () => {
    const { id } = await createAgent(running, person, {
      ...{ agent_name: 'first', purpose: 'first', hub: 'first' },
      white_box_config: { repo_url: 'first', github_token: 'ghp-first-0123456789-AAAA' },
    })
    await putAgent(running, person, id, {
      ...{ agent_name: 'now', purpose: 'now', hub: 'now' },
      white_box_config: { repo_url: 'now', github_token: 'ghp-second-0123456789-BBBB' },
    })
    await redacted(id, 1, ['agent_name', 'purpose', 'white_box_config'])
    const path = `${COLLECTION}/${id}/revisions/1/restore`
    const { body } = await running.request('POST', path, { token: person.token })
    assert.deepEqual([body.agent_name, body.purpose, body.hub], ['now', 'now', 'first'])
    assert.deepEqual(body.white_box_config, { repo_url: 'now', github_token: '********BBBB' })
    assert.deepEqual((await revisionsOf(id))[0]?.fields, ['hub'])
  })

  it('shows in a diff as a difference to every value that was not removed', async () => {
    const { id } = await createAgent(running, person, { purpose: 'first' })
    await putAgent(running, person, id, { purpose: null })
    await putAgent(running, person, id, { purpose: 'third' })
    await putAgent(running, person, id, { purpose: 'fourth' })
    await redacted(id, 1, ['purpose'])
    assert.deepEqual(await diff(id, 2, 1), [{ field: 'purpose', old: null, new: null }])
    assert.deepEqual(await diff(id, 4, 1), [{ field: 'purpose', old: null, new: 'fourth' }])
    assert.deepEqual(await diff(id, 1, 1), [])
    await redacted(id, 3, ['purpose'])
    assert.deepEqual(await diff(id, 3, 2), [{ field: 'purpose', old: null, new: null }])
  })

  it('removes the value from all snapshots of its time, before and after the revision, and from no other', async () => {
    const { id } = await createAgent(running, person, { agent_url: 'kept-first' })
    await insertRevisions(running.database, person, id, 149)
    await putAgent(running, person, id, { agent_url: 'canary-long', model_name: 'kept-model' })
    for (let n = 0; n < 201; n++) await putAgent(running, person, id, { purpose: `again ${n}` })
    await putAgent(running, person, id, { agent_url: 'kept-last', purpose: 'kept-purpose' })
    for (let n = 0; n < 60; n++) await putAgent(running, person, id, { hub: `hub ${n}` })
    const states = new Map<number, unknown>()
    const revisions = [1, 99, 100, 101, 149, 150, 151, 199, 200, 201, 250, 300, 301, 351, 352, 400, 410]
    for (const revision of revisions) states.set(revision, await at(id, revision))

    await redacted(id, 250, ['agent_url'])
    assert.doesNotMatch(await stored(), /canary-long/)
    for (const revision of revisions) {
      const isRemoved = revision >= 150 && revision < 352
      const expected = { ...(states.get(revision) as object), ...(isRemoved && { agent_url: null }) }
      assert.deepEqual(await at(id, revision), expected, `revision ${revision}`)
    }
    assert.deepEqual(
      (await diff(id, 200, 300)).map(({ field }: { field: string }) => field),
      ['purpose'],
      'both are removed',
    )
    assert.equal((await diff(id, 400, 300)).length, 3)
    // A second field of the same snapshots, and the first again.
    await putAgent(running, person, id, { model_name: 'm' })
    await redacted(id, 160, ['model_name', 'agent_url'])
    assert.doesNotMatch(await stored(), /kept-model/)
    assert.equal((await at(id, 180)).model_name, '[redacted]')
    assert.equal((await at(id, 180)).agent_url, null)
    const restored = await running.request('POST', `${COLLECTION}/${id}/revisions/180/restore`, {
      token: person.token,
    })
    assert.deepEqual([restored.body.model_name, restored.body.agent_url], ['m', 'kept-last'])
  })

  it('finds the changes of a field at any distance', async () => {
    const { id } = await createAgent(running, person, { agent_url: 'canary-far' })
    await insertRevisions(running.database, person, id, 25_000)
    await putAgent(running, person, id, { agent_url: 'now' })
    assert.equal((await redact(id, 12_000, { fields: ['hub'] })).status, 409)
    await redacted(id, 12_000, ['agent_url'])
    assert.doesNotMatch(await stored(), /canary-far/)
    assert.deepEqual((await revisionsOf(id))[0]?.redacted, ['agent_url'])
    for (const revision of [1, 5_050, 25_000]) assert.equal((await at(id, revision)).agent_url, null)
  })
})
