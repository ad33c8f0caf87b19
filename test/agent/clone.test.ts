import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { AGENT_DEFAULTS, SETTABLE_FIELDS } from '../../src/agent/fields.ts'
import type { Agent } from '../../src/agent/schema.ts'
import { COLLECTION, codeOf, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { type Person, useConsole } from '../support/console.ts'
import { FIELD_NAMES, otherValueOf, type SettableField } from '../support/field-values.ts'

const valuesOf = (names: SettableField[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, otherValueOf(name)]))
const NAMES = FIELD_NAMES.filter((name) => !['agent_name', 'white_box_config'].includes(name))
const isEarned = (name: SettableField) => 'isEarned' in SETTABLE_FIELDS[name]
const COPIED = valuesOf(NAMES.filter((name) => !isEarned(name)))
const EARNED = valuesOf(NAMES.filter(isEarned))

describe('cloning an agent', async () => {
  const running = await useConsole()
  const person = await running.person()

  const clone = (id: string, json: object = {}, headers = {}, by: Person = person) =>
    running.request<Agent>('POST', `${COLLECTION}/${id}/clone`, { token: by.token, json, headers })
  const cloned = async (id: string, json: object = {}, headers = {}) => {
    const reply = await clone(id, json, headers)
    assert.equal(reply.status, 201, reply.text)
    return reply
  }
  const putSecret = (id: string, name: string) =>
    running.request('PUT', `${COLLECTION}/${id}/secrets/${name}`, {
      token: person.token,
      json: { value: 'canary-named-0123456789' },
    })

  it('copies the configuration, and nothing that the agent has earned', async () => {
    const source = await createAgent(running, person, {
      ...{ agent_name: 'Source', ...COPIED, ...EARNED },
      white_box_config: { repo_url: 'https://git.example' },
      capabilities: { streaming: true },
      skills: [{ id: 's', name: 'skill' }],
      import_metadata: { source: 'a2a', source_url: 'https://card.example' },
    })
    await running.request('PUT', `${COLLECTION}/${source.id}/lifecycle`, {
      token: person.token,
      json: { trust_stage: 'trusted' },
    })
    const other = await running.person({ team: person.team })
    const reply = await clone(source.id, {}, { 'console-change-reason': 'try another model' }, other)
    assert.equal(reply.status, 201, reply.text)
    const { id } = reply.body
    assert.notEqual(id, source.id)
    assert.equal(reply.headers.get('location'), `${COLLECTION}/${id}`)
    assert.equal(reply.headers.get('etag'), '"1"')
    const { body } = await getAgent(running, person, `${id}?include_scores=true`)
    const earned = Object.fromEntries(Object.keys(EARNED).map((name) => [name, AGENT_DEFAULTS[name] ?? null]))
    assert.deepEqual(body, {
      ...earned,
      ...COPIED,
      ...{ id, team_id: person.team, agent_name: 'Source (copy)', created_by: other.user },
      ...{ created_at: body.created_at, updated_at: body.updated_at, api_key: null },
      status: 'draft',
      ...{ trust_stage: 'registered', trusted_at: null, ttt_days: null, latest_evaluation: null },
      white_box_config: { repo_url: 'https://git.example' },
      capabilities: { streaming: true },
      skills: [{ id: 's', name: 'skill' }],
      import_metadata: {
        ...{ source: 'clone', source_agent_id: source.id, source_revision: 2, left_out_secrets: [] },
      },
    })
    const history = await running.request('GET', `${COLLECTION}/${id}/revisions`, { token: person.token })
    const [{ action, reason }] = history.body.results
    assert.deepEqual([action, reason], ['created', 'try another model'])
  })

  it('copies no secret, and names those that it left out', async () => {
    const source = await createAgent(running, person, {
      api_key: 'canary-key-0123456789',
      white_box_config: { repo_url: 'https://git.example', github_token: 'canary-token-0123456789' },
    })
    await putSecret(source.id, 'crm')
    await putSecret(source.id, 'gone')
    await running.request('DELETE', `${COLLECTION}/${source.id}/secrets/gone`, { token: person.token })
    const headers = { Authorization: { $secret: 'crm' } }
    await putAgent(running, person, source.id, { mcp_config: { headers } })
    const { body, text, headers: received } = await cloned(source.id)
    assert.doesNotMatch(text, /canary|\*\*\*\*/)
    assert.equal(received.get('console-credential-warnings'), null, 'the names of secrets are none')
    assert.deepEqual(body.white_box_config, { repo_url: 'https://git.example' })
    assert.deepEqual(body.mcp_config, { headers }, 'the reference stays')
    assert.deepEqual((body.import_metadata as Record<string, unknown>)['left_out_secrets'], [
      ...['api_key', 'white_box_config.github_token', 'secrets.crm'],
    ])
    const secrets = await running.request('GET', `${COLLECTION}/${body.id}/secrets`, { token: person.token })
    assert.deepEqual(secrets.body, { api_key: null, white_box_config: { github_token: null }, secrets: {} })
    const [row] = await running.database.query(
      `SELECT api_key_sealed, api_key_fingerprint, github_token_sealed, github_token_fingerprint, named_secrets
       FROM agents WHERE id = $1`,
      [body.id],
    )
    assert.ok(Object.values(row ?? {}).every((value) => value === null))
    assert.equal((await putSecret(body.id, 'crm')).status, 200)
    const changed = await putAgent(running, person, body.id, { mcp_config: { headers, proxy_url: 'u' } })
    assert.equal(changed.status, 200, 'the reference is good again')
  })

  it('takes fields of the body in place of those of the agent', async () => {
    const source = await createAgent(running, person, { purpose: 'p', hub: 'h' })
    const reply = await cloned(source.id, {
      ...{ agent_name: 'Other', status: 'active', purpose: null, hub: null, api_key: 'a-new-key' },
      ...{ trust_stage: 'trusted', import_metadata: { source: 'x' }, team_id: randomUUID() },
    })
    const { agent_name, status, purpose, hub, api_key, trust_stage, import_metadata, team_id } = reply.body
    assert.deepEqual([agent_name, status, purpose, hub], ['Other', 'active', null, 'h'])
    assert.deepEqual([api_key, trust_stage, team_id], ['a-new-key', 'registered', person.team])
    assert.equal(import_metadata?.source, 'clone')
    assert.equal(reply.headers.get('console-ignored-fields'), 'trust_stage, import_metadata, team_id')
    const bad = await clone(source.id, { mcp_config: { key: { $secret: 'none' } } })
    assert.equal(bad.status, 422, bad.text)
    assert.equal((await clone(source.id, { api_key: '********' })).status, 422)
  })

  it('keeps the name within its length', async () => {
    const source = await createAgent(running, person, { agent_name: '🙂'.repeat(255) })
    assert.equal((await cloned(source.id)).body.agent_name, `${'🙂'.repeat(248)} (copy)`)
  })

  it('with an Idempotency-Key happens once, even if the agent has changed or gone since', async () => {
    const source = await createAgent(running, person, { purpose: 'first' })
    const key = { 'idempotency-key': randomUUID() }
    const json = { api_key: 'a-new-key' }
    const first = await cloned(source.id, json, key)
    await putAgent(running, person, source.id, { purpose: 'second' })
    await putAgent(running, person, first.body.id, { purpose: 'third' })
    const again = await cloned(source.id, json, key)
    assert.equal(again.text, first.text)
    await running.request('DELETE', `${COLLECTION}/${source.id}`, { token: person.token })
    assert.equal((await cloned(source.id, json, key)).text, first.text)
    assert.equal(codeOf(await clone(source.id, {}, key)), 'idempotency_conflict')
    const other = await createAgent(running, person)
    assert.equal(codeOf(await clone(other.id, json, key)), 'idempotency_conflict')
    await running.request('DELETE', `${COLLECTION}/${first.body.id}`, { token: person.token })
    assert.equal(codeOf(await clone(source.id, json, key)), 'idempotency_agent_deleted')
    assert.equal(codeOf(await clone(source.id, json)), 'agent_not_found')
  })

  it('by many requests with one key at once happens once', async () => {
    const source = await createAgent(running, person)
    const key = { 'idempotency-key': randomUUID() }
    const replies = await Promise.all(Array.from({ length: 8 }, () => cloned(source.id, {}, key)))
    assert.equal(new Set(replies.map(({ text }) => text)).size, 1)
  })
})
