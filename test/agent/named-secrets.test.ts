import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { eraseStep } from '../../src/agent/lifecycle/erase.ts'
import { COLLECTION, codeOf, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { type RequestOptions, useConsole, useReplica } from '../support/console.ts'

const VALUE = 'sk-0123456789-abcdefghij-WXYZ'
const MASK = '********WXYZ'

describe('a named secret', async () => {
  const running = await useConsole()
  const person = await running.person()

  const ask = (method: string, id: string, rest: string, options: RequestOptions = {}) =>
    running.request(method, `${COLLECTION}/${id}${rest}`, { token: person.token, ...options })
  const put = (id: string, name: string, value: unknown, headers: Record<string, string> = {}) =>
    ask('PUT', id, `/secrets/${name}`, { json: { value }, headers })
  const remove = (id: string, name: string) => ask('DELETE', id, `/secrets/${name}`)
  const names = async (id: string) => (await ask('GET', id, '/secret-names')).body.results
  const clear = async (id: string) => (await ask('GET', id, '/secrets')).body.secrets
  const etag = async (id: string) => (await getAgent(running, person, id)).headers.get('etag')

  it('is stored, listed by name and mask, and read in clear text with the other secrets', async () => {
    const { id } = await createAgent(running, person, { api_key: 'sk-other' })
    const stored = await put(id, 'crm', VALUE)
    assert.equal(stored.status, 200, stored.text)
    assert.deepEqual(stored.body, { name: 'crm', mask: MASK, revision: 2 })
    assert.deepEqual([stored.headers.get('etag'), stored.headers.get('cache-control')], ['"2"', 'no-store'])
    await put(id, 'Billing_2', 'short')
    assert.deepEqual(await names(id), [
      { name: 'Billing_2', mask: '********', revision: 3 },
      { name: 'crm', mask: MASK, revision: 2 },
    ])
    const shown = await ask('GET', id, '/secrets')
    assert.deepEqual(shown.body, {
      api_key: 'sk-other',
      white_box_config: { github_token: null },
      secrets: { Billing_2: 'short', crm: VALUE },
    })
    const { body: audit } = await running.request('GET', `/v1/audit-events?agent_id=${id}&limit=1`, {
      token: person.token,
    })
    assert.deepEqual(audit.results[0].detail, { fields: ['api_key', 'secrets.Billing_2', 'secrets.crm'] })
    assert.equal(await etag(id), '"3"')
    const [row] = await running.database.query<{ text: string }>(
      'SELECT string_agg(s::text, $1) AS text FROM agent_secrets s',
      [' '],
    )
    assert.ok(!row?.text.includes(Buffer.from(VALUE).toString('hex')))
  })

  it('opens only under its own name', async () => {
    const { id } = await createAgent(running, person)
    await put(id, 'crm', VALUE)
    await put(id, 'billing', 'other')
    await running.database.query(
      `UPDATE agent_secrets a SET sealed = b.sealed FROM agent_secrets b
       WHERE a.agent_id = $1 AND b.agent_id = $1 AND a.name = 'billing' AND b.name = 'crm'`,
      [id],
    )
    const reply = await ask('GET', id, '/secrets')
    assert.equal(reply.status, 500)
    assert.ok(!reply.text.includes(VALUE))
  })

  it('makes one revision, event and audit event for each change, and none for the same value', async () => {
    const { id } = await createAgent(running, person)
    await put(id, 'crm', VALUE)
    assert.equal((await put(id, 'crm', VALUE)).headers.get('etag'), '"2"')
    assert.equal((await put(id, 'crm', MASK)).headers.get('etag'), '"2"')
    const other = await put(id, 'crm', `${'x'.repeat(30)}WXYZ`)
    assert.deepEqual(other.body, { name: 'crm', mask: MASK, revision: 3 })
    assert.equal((await remove(id, 'crm')).headers.get('etag'), '"4"')
    const revisions = await ask('GET', id, '/revisions')
    assert.deepEqual(
      revisions.body.results.map(({ action, fields }: { action: string; fields: string[] }) => [
        action,
        fields,
      ]),
      [
        ['updated', ['secrets.crm']],
        ['updated', ['secrets.crm']],
        ['updated', ['secrets.crm']],
        ['created', ['agent_name', 'model_name']],
      ],
    )
    const events = await running.database.query<{ payload: { fields: string[] } }>(
      'SELECT payload FROM outbox WHERE aggregateid = $1 ORDER BY revision',
      [id],
    )
    assert.deepEqual(
      events.slice(1).map(({ payload }) => payload.fields),
      [['secrets.crm'], ['secrets.crm'], ['secrets.crm']],
    )
    const { body: audit } = await running.request('GET', `/v1/audit-events?agent_id=${id}`, {
      token: person.token,
    })
    assert.deepEqual(audit.results[0].detail, { revision: 4, fields: ['secrets.crm'] })
    assert.equal(audit.results.length, 4)
  })

  it('refuses a mask that is not its own, another name or value, and a stale revision', async () => {
    const { id } = await createAgent(running, person)
    await put(id, 'crm', VALUE)
    for (const [name, value, loc] of [
      ['crm', '********abcd', ['body', 'value']],
      ['other', MASK, ['body', 'value']],
      ['crm', null, ['body', 'value']],
      ['crm', '', ['body', 'value']],
      ['crm', 'x'.repeat(8_193), ['body', 'value']],
      ['1st', 'x', ['path', 'name']],
      ['__proto__', 'x', ['path', 'name']],
      ['a.b', 'x', ['path', 'name']],
      ['x'.repeat(65), 'x', ['path', 'name']],
    ] as const) {
      const reply = await put(id, name, value)
      assert.equal(reply.status, 422, `${name} ${value}`)
      assert.deepEqual(reply.body.detail[0].loc, loc)
    }
    const stale = await put(id, 'crm', 'x', { 'if-match': '"1"' })
    assert.deepEqual([stale.status, codeOf(stale)], [412, 'revision_stale'])
    assert.equal((await put(id, 'crm', 'x', { 'if-match': '"2"' })).status, 200)
    assert.deepEqual(await clear(id), { crm: 'x' })
  })

  it('may have a name that every object has', async () => {
    const { id } = await createAgent(running, person)
    for (const name of ['constructor', 'toString']) {
      assert.equal(codeOf(await remove(id, name)), 'secret_not_found')
      assert.equal(
        (await putAgent(running, person, id, { mcp_config: { x: { $secret: name } } })).status,
        422,
      )
      assert.equal((await put(id, name, `of ${name}`)).status, 200)
    }
    assert.deepEqual(await clear(id), { constructor: 'of constructor', toString: 'of toString' })
  })

  it('is one of at most 20', async () => {
    const { id } = await createAgent(running, person)
    for (let n = 1; n <= 20; n++) assert.equal((await put(id, `s${n}`, 'x')).status, 200)
    const refused = await put(id, 's21', 'x')
    assert.deepEqual([refused.status, codeOf(refused)], [409, 'too_many_secrets'])
    assert.equal((await put(id, 's20', 'y')).status, 200)
    await remove(id, 's1')
    assert.equal((await put(id, 's21', 'x')).status, 200)
    assert.equal((await names(id)).length, 20)
  })

  it('stays one of at most 20 when requests race, and loses none', async () => {
    const replica = await useReplica(running)
    const { id } = await createAgent(running, person)
    const replies = await Promise.all(
      Array.from({ length: 24 }, (_, n) =>
        (n % 2 ? running : replica).request('PUT', `${COLLECTION}/${id}/secrets/s${n}`, {
          token: person.token,
          json: { value: `value ${n}` },
        }),
      ),
    )
    const stored = replies.filter(({ status }) => status === 200)
    assert.equal(stored.length, 20)
    const secrets = await clear(id)
    assert.equal(Object.keys(secrets).length, 20)
    for (const [name, value] of Object.entries(secrets)) assert.equal(value, `value ${name.slice(1)}`)
    assert.equal(await etag(id), '"21"')
  })

  it('is referred to from nested fields, which are kept as they are', async () => {
    const { id } = await createAgent(running, person)
    await put(id, 'crm', VALUE)
    const fields = {
      mcp_config: { headers: { Authorization: { $secret: 'crm' } } },
      delegated_agents: [{ name: 'a', auth: { $secret: 'crm' } }],
      agent_params: { rag_params: { deep: [[{ $secret: 'crm' }]] } },
    }
    const updated = await putAgent(running, person, id, fields)
    assert.equal(updated.status, 200, updated.text)
    assert.equal(updated.headers.get('console-credential-warnings'), null)
    const { body } = await getAgent(running, person, id)
    assert.deepEqual(
      [body.mcp_config, body.delegated_agents, body.agent_params],
      [fields.mcp_config, fields.delegated_agents, fields.agent_params],
    )
    assert.equal((await putAgent(running, person, id, { ...body, purpose: 'put back' })).status, 200)
  })

  it('must exist where a field refers to it, and the reference must be one', async () => {
    const { id } = await createAgent(running, person)
    await put(id, 'crm', VALUE)
    const before = await etag(id)
    for (const [reference, msg] of [
      [{ $secret: 'CRM' }, /has no secret of this name; store it first$/],
      [{ $secret: 'sk-live' }, /has no secret of this name/],
      [{ $secret: 5 }, /must be the only member of its object/],
      [{ $secret: 'crm', scheme: 'Bearer' }, /must be the only member of its object/],
      [{ $secret: { $secret: 'crm' } }, /must be the only member/],
    ] as const) {
      const reply = await putAgent(running, person, id, { mcp_config: { headers: [{ auth: reference }] } })
      assert.equal(reply.status, 422, JSON.stringify(reference))
      const { detail } = reply.body as unknown as { detail: { loc: string[]; msg: string; type: string }[] }
      assert.deepEqual(detail[0]?.loc, ['body', 'mcp_config', 'headers', 0, 'auth'])
      assert.match(detail[0]?.msg ?? '', msg)
      assert.equal(detail[0]?.type, 'value_error')
    }
    assert.equal(await etag(id), before)
    const created = await running.request('POST', COLLECTION, {
      token: person.token,
      json: { agent_name: 'A', model_name: 'm', skills: [{ key: { $secret: 'crm' } }] },
    })
    assert.equal(created.status, 422, 'a new agent has no secrets')
  })

  it('that a field refers to is not deleted: the place comes back', async () => {
    const { id } = await createAgent(running, person)
    assert.equal(codeOf(await remove(id, 'crm')), 'secret_not_found')
    await put(id, 'crm', VALUE)
    await putAgent(running, person, id, { mcp_config: { 'a/b': { auth: { $secret: 'crm' } } } })
    const refused = await remove(id, 'crm')
    assert.deepEqual(
      [refused.status, refused.body],
      [
        409,
        {
          detail: '/mcp_config/a~1b/auth refers to this secret. Remove the reference first.',
          code: 'secret_in_use',
        },
      ],
    )
    await putAgent(running, person, id, { mcp_config: null })
    assert.equal((await remove(id, 'crm')).status, 204)
    assert.deepEqual([await names(id), await clear(id)], [[], {}])
    const [row] = await running.database.query<{ named_secrets: unknown }>(
      'SELECT named_secrets FROM agents WHERE id = $1',
      [id],
    )
    assert.equal(row?.named_secrets, null)
  })

  it('is never left out of reach by a race of its deletion with a reference to it', async () => {
    const replica = await useReplica(running)
    for (let round = 0; round < 10; round++) {
      const { id } = await createAgent(running, person)
      await put(id, 'crm', VALUE)
      const [deleted, referred] = await Promise.all([
        remove(id, 'crm'),
        putAgent(replica, person, id, { mcp_config: { auth: { $secret: 'crm' } } }),
      ])
      const statuses = [deleted.status, referred.status].join()
      assert.ok(statuses === '204,422' || statuses === '409,200', statuses)
    }
  })

  it('differs between revisions by what it is, not by its mask', async () => {
    const { id } = await createAgent(running, person)
    await put(id, 'crm', VALUE)
    await put(id, 'crm', `${'x'.repeat(30)}WXYZ`)
    await putAgent(running, person, id, { purpose: 'x' })
    await put(id, 'billing', 'short')
    await remove(id, 'crm')
    const diff = async (revision: number, against: number) =>
      (await ask('GET', id, `/revisions/${revision}/diff?against=${against}`)).body.changes
    assert.deepEqual(await diff(3, 2), [{ field: 'secrets.crm', old: MASK, new: MASK }])
    assert.deepEqual(await diff(4, 3), [{ field: 'purpose', old: null, new: 'x' }])
    assert.deepEqual(await diff(6, 3), [
      { field: 'purpose', old: null, new: 'x' },
      { field: 'secrets.billing', old: null, new: '********' },
      { field: 'secrets.crm', old: MASK, new: null },
    ])
    assert.deepEqual(await diff(1, 6), [
      { field: 'purpose', old: 'x', new: null },
      { field: 'secrets.billing', old: '********', new: null },
    ])
  })

  it('is in the snapshots, by its mask, so that a long history shows the same', async () => {
    const { id } = await createAgent(running, person)
    await put(id, 'crm', VALUE)
    await put(id, 'billing', 'short')
    for (let revision = 4; revision <= 99; revision++) {
      await putAgent(running, person, id, { purpose: `${revision}` })
    }
    assert.equal((await put(id, 'crm', 'other')).headers.get('etag'), '"100"')
    await remove(id, 'billing')
    const { body } = await ask('GET', id, '/revisions/100/diff?against=2')
    assert.deepEqual(body.changes.slice(1), [
      { field: 'secrets.billing', old: null, new: '********' },
      { field: 'secrets.crm', old: MASK, new: '********' },
    ])
    const [row] = await running.database.query<{ text: string }>(
      'SELECT snapshot::text AS text FROM agent_revisions WHERE agent_id = $1 AND revision = 100',
      [id],
    )
    assert.match(row?.text ?? '', /"named_secrets":\{"billing":\{"mask":"\*{8}","revision":3\},"crm":\{/)
  })

  it('keeps its value when an old revision is restored', async () => {
    const { id } = await createAgent(running, person)
    await put(id, 'crm', VALUE)
    await putAgent(running, person, id, { mcp_config: { auth: { $secret: 'crm' } } })
    await put(id, 'crm', 'newer')
    await putAgent(running, person, id, { mcp_config: null })
    const restored = await ask('POST', id, '/revisions/3/restore')
    assert.equal(restored.status, 200, restored.text)
    assert.deepEqual(restored.body.mcp_config, { auth: { $secret: 'crm' } })
    assert.deepEqual(await clear(id), { crm: 'newer' })

    await putAgent(running, person, id, { mcp_config: null })
    await remove(id, 'crm')
    const refused = await ask('POST', id, '/revisions/3/restore')
    assert.equal(refused.status, 422)
    assert.deepEqual(refused.body.detail, [
      {
        loc: ['path', 'revision'],
        msg:
          'Value error, the revision has an invalid value at /mcp_config/auth: the agent has no secret of this name; ' +
          'store it first',
        type: 'value_error',
      },
    ])
  })

  it('is hidden and recovered with its agent, and erased with it', async () => {
    const { id } = await createAgent(running, person)
    await put(id, 'crm', VALUE)
    assert.equal((await ask('DELETE', id, '')).status, 204)
    for (const [method, rest] of [
      ['GET', '/secrets'],
      ['GET', '/secret-names'],
      ['DELETE', '/secrets/crm'],
    ] as const) {
      assert.equal((await ask(method, id, rest)).status, 404)
    }
    assert.equal((await ask('POST', id, '/recover')).status, 200)
    assert.deepEqual(await clear(id), { crm: VALUE })
    assert.deepEqual(await names(id), [{ name: 'crm', mask: MASK, revision: 2 }])
    const rows = () => running.database.query('SELECT FROM agent_secrets WHERE agent_id = $1', [id])
    assert.equal((await rows()).length, 1)
    await ask('DELETE', id, '?erase=true')
    const { system } = running.core.database
    while (await eraseStep(system, Math.floor(Date.now() / 1_000))) assert.equal((await rows()).length, 0)
    assert.equal((await rows()).length, 0)
  })

  it('needs the permission to write, and that to read secrets in clear text', async () => {
    const { id } = await createAgent(running, person)
    await put(id, 'crm', VALUE)
    const scopes: Record<string, [method: string, rest: string][]> = {
      'agent:write': [
        ['PUT', '/secrets/crm'],
        ['DELETE', '/secrets/crm'],
      ],
      'agent:read': [['GET', '/secret-names']],
      'agent:secret': [['GET', '/secrets']],
    }
    for (const [permission, operations] of Object.entries(scopes)) {
      for (const scope of ['agent:read', 'agent:write', 'agent:secret', 'agent:delete agent:lifecycle']) {
        if (scope === permission) continue
        const { token } = await running.person({ team: person.team, scope })
        for (const [method, rest] of operations) {
          const reply = await ask(method, id, rest, {
            token,
            ...(method === 'PUT' && { json: { value: 'x' } }),
          })
          assert.equal(reply.status, 403, `${scope} ${method}`)
          assert.equal(reply.body.detail, `This operation needs the permission ${permission}.`)
        }
      }
    }
    const writer = await running.person({ team: person.team, scope: 'agent:write' })
    const options = { token: writer.token, json: { value: `canary-${randomBytes(8).toString('hex')}-WXYZ` } }
    const stored = await ask('PUT', id, '/secrets/crm', options)
    assert.deepEqual([stored.status, stored.text.includes('canary')], [200, false])
  })
})
