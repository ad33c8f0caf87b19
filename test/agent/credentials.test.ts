import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AgentUpdate } from '../../src/agent/schema.ts'
import type { ValidationError } from '../../src/api/problem.ts'
import { COLLECTION, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'

const KEY = ['sk', 'canary-4f9a8c7d6e5b4a39'].join('-')
const WARNINGS = 'console-credential-warnings'

describe('a credential outside of the secrets', async () => {
  const running = await useConsole()
  const person = await running.person()
  const create = (json: object, headers: Record<string, string> = {}) =>
    running.request('POST', COLLECTION, {
      token: person.token,
      json: { agent_name: 'A', model_name: 'm', ...json },
      headers,
    })
  const lastAudit = async (id: string) =>
    (await running.request('GET', `/v1/audit-events?agent_id=${id}&limit=1`, { token: person.token })).body
      .results[0]

  const URL = `https://user:${KEY}@host.example/`
  const PLACES: { body: object; loc: ValidationError['loc']; isOrigin?: true }[] = [
    { body: { agent_url: URL }, loc: ['agent_url'] },
    { body: { mcp_config: { proxy_url: URL } }, loc: ['mcp_config', 'proxy_url'] },
    { body: { mcp_config: { server_urls: ['https://a', URL] } }, loc: ['mcp_config', 'server_urls', 1] },
    { body: { delegated_agents: [{}, { url: URL }] }, loc: ['delegated_agents', 1, 'url'] },
    {
      body: { delegated_agents: [{ agent_card_url: URL }] },
      loc: ['delegated_agents', 0, 'agent_card_url'],
    },
    { body: { white_box_config: { repo_url: URL } }, loc: ['white_box_config', 'repo_url'] },
    {
      body: { import_metadata: { source_url: URL } },
      loc: ['import_metadata', 'source_url'],
      isOrigin: true,
    },
  ]
  for (const { body, loc, isOrigin } of PLACES) {
    it(`in the URL ${loc.join('.')} is refused, and the error says where to put it`, async () => {
      const { id } = await createAgent(running, person)
      const replies = [await create(body), ...(isOrigin ? [] : [await putAgent(running, person, id, body)])]
      for (const reply of replies) {
        assert.equal(reply.status, 422, reply.text)
        const { detail } = reply.body as unknown as { detail: ValidationError[] }
        assert.equal(detail.length, 1)
        assert.deepEqual(detail[0]?.loc, ['body', ...loc])
        assert.match(detail[0]?.msg ?? '', /PUT \/v1\/agent-configurations\/\{id\}\/secrets\/\{name\}/)
        assert.ok(!reply.text.includes(KEY))
      }
      assert.equal((await getAgent(running, person, id)).headers.get('etag'), '"1"')
    })
  }

  it('in several URLs is refused with all of them, and a URL that was stored before may stay', async () => {
    const { id } = await createAgent(running, person, { agent_url: 'https://host.example' })
    const both: AgentUpdate = { agent_url: URL, mcp_config: { proxy_url: URL, server_urls: [URL] } }
    const reply = await putAgent(running, person, id, both)
    const { detail } = reply.body as unknown as { detail: ValidationError[] }
    assert.equal(detail.length, 3)
    await running.database.query('UPDATE agents SET agent_url = $1 WHERE id = $2', [URL, id])
    const { body } = await getAgent(running, person, id)
    assert.equal((await putAgent(running, person, id, { ...body, purpose: 'x' })).status, 200)
  })

  it('in a revision from before is not restored', async () => {
    const { id } = await createAgent(running, person, { agent_url: 'https://old.example' })
    await putAgent(running, person, id, { agent_url: 'https://host.example' })
    await running.database.query(
      'UPDATE agent_revisions SET before = $1 WHERE agent_id = $2 AND revision = 2',
      [{ agent_url: URL }, id],
    )
    const path = `${COLLECTION}/${id}/revisions/1/restore`
    const reply = await running.request('POST', path, { token: person.token })
    assert.equal(reply.status, 422)
    assert.deepEqual(reply.body.detail[0].loc, ['path', 'revision'])
    assert.match(reply.body.detail[0].msg, /invalid value at \/agent_url: a URL must not contain/)
    assert.ok(!reply.text.includes(KEY))
  })

  it('is stored, with a warning in the response and in the audit log, by its place', async () => {
    const json = { purpose: `uses ${KEY}`, mcp_config: { headers: { Authorization: 'Bearer x' } } }
    const places = ['/mcp_config/headers/Authorization', '/purpose']
    const created = await create(json, { 'idempotency-key': 'warned' })
    assert.equal(created.status, 201)
    const { id } = created.body
    assert.deepEqual(created.headers.get(WARNINGS)?.split(', ').toSorted(), places)
    const { detail } = await lastAudit(id)
    assert.deepEqual(detail.credential_warnings.toSorted(), places)
    const again = await create(json, { 'idempotency-key': 'warned' })
    assert.equal(again.headers.get(WARNINGS), created.headers.get(WARNINGS))

    const updated = await putAgent(running, person, id, { agent_params: { password: 'q7Vd2kPz9sLw4xTb' } })
    assert.equal(updated.status, 200)
    assert.equal(updated.headers.get(WARNINGS), '/agent_params/password')
    const event = await lastAudit(id)
    assert.deepEqual(event.detail, {
      revision: 2,
      fields: ['agent_params'],
      credential_warnings: ['/agent_params/password'],
    })
    assert.ok(!JSON.stringify(event).includes('q7Vd2kPz9sLw4xTb'))
  })

  it('is looked for only where a request changes something', async () => {
    const { id } = await createAgent(running, person, { purpose: KEY })
    const { body } = await getAgent(running, person, id)
    const updated = await putAgent(running, person, id, { ...body, agent_name: 'B' })
    assert.deepEqual([updated.headers.get('etag'), updated.headers.get(WARNINGS)], ['"2"', null])
    assert.ok(!('credential_warnings' in (await lastAudit(id)).detail))
    await putAgent(running, person, id, { purpose: 'clean' })
    const path = `${COLLECTION}/${id}/revisions/1/restore`
    const restored = await running.request('POST', path, { token: person.token })
    assert.equal(restored.headers.get(WARNINGS), '/purpose')
    assert.deepEqual((await lastAudit(id)).detail.credential_warnings, ['/purpose'])
  })

  it('in 5,000 places gives a header of at most 4,000 characters', async () => {
    const { id } = await createAgent(running, person)
    const members = Array.from({ length: 5_000 }, (_, n) => [`${'名'.repeat(20)}${n}`, KEY])
    const reply = await putAgent(running, person, id, { agent_params: Object.fromEntries(members) })
    assert.equal(reply.status, 200)
    const header = reply.headers.get(WARNINGS) ?? ''
    assert.ok(header.length <= 4_000 && header.endsWith(', ...'), String(header.length))
    assert.ok(JSON.stringify((await lastAudit(id)).detail).length < 20_000)
  })
})
