import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AgentImportRowResult } from '../../../src/features/batch/import-schema.ts'
import type { Json } from '../../support/agent-cards.ts'
import { getAgent, putAgent } from '../../support/agents.ts'
import { startCardServer } from '../../support/card-server.ts'
import { closeAfter } from '../../support/close-after.ts'
import { type Person, useConsole } from '../../support/console.ts'

const CARD: Json = {
  ...{ name: 'Route planner', description: 'Plans routes.', version: '1.0.0' },
  supportedInterfaces: [
    { url: 'https://agents.example.com/grpc', protocolBinding: 'GRPC', protocolVersion: '1.0' },
    { url: 'https://agents.example.com/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
  ],
  capabilities: {},
  ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'], skills: [] },
}

describe('imports of agent cards', async () => {
  const server = await startCardServer()
  closeAfter(() => server.close())
  const running = await useConsole({
    environment: {
      OUTBOUND_ALLOWED_CIDRS: '127.0.0.0/8',
      OUTBOUND_ALLOWED_PORTS: String(server.port),
      ALLOW_INSECURE: 'http_outbound',
    },
  })
  const person = await running.person()

  const send = (json: object, owner: Person = person, query = '') =>
    running.request('POST', `/v1/agent-imports${query}`, { token: owner.token, json })
  const importAll = async (
    json: object,
    owner: Person = person,
    query = '',
  ): Promise<AgentImportRowResult[]> => {
    const reply = await send(json, owner, query)
    assert.equal(reply.status, 200, reply.text)
    return reply.body.results
  }
  const importOne = async (
    json: object,
    owner: Person = person,
    query = '',
  ): Promise<AgentImportRowResult> => {
    const [item, ...others] = await importAll(json, owner, query)
    assert.deepEqual(others, [])
    return item as AgentImportRowResult
  }
  const agentOf = async ({ agent_id: id }: AgentImportRowResult, owner: Person = person) =>
    (await getAgent(running, owner, id ?? '')).body
  const faultOf = ({ faults }: AgentImportRowResult) => faults[0]?.msg

  it('applies a card only to the revision of the dry run, if that is sent', async () => {
    const body = { card: CARD, external_key: 'planned' }
    const { revision } = await importOne(body, person, '?dry_run=true')
    assert.equal(revision, 0)
    await importOne(body)
    const next = { ...body, card: { ...CARD, version: '2.0.0' }, expected_revision: revision }
    assert.equal((await importOne(next)).error?.code, 'revision_stale')
    assert.equal((await importOne({ ...next, expected_revision: 1 })).action, 'update')
  })

  it('says that a document is not JSON, such as the page of a login', async () => {
    server.documents.set('/login.json', '<!doctype html>')
    const url = `${server.url}/login.json`
    assert.equal(
      faultOf(await importOne({ card_url: url })),
      'JSON decode error, the document at this URL is not JSON',
    )
  })

  it('creates an agent once, and keeps what the team has set', async () => {
    const planned = await importOne({ card: CARD }, person, '?dry_run=true')
    assert.equal(planned.action, 'create')
    const created = await importOne({ card: CARD, override_name: 'Ours', rate_limit_requests_per_minute: 7 })
    assert.equal(created.action, 'create', JSON.stringify(created))
    assert.equal(created.external_key, 'https://agents.example.com/a2a')
    const agent = await agentOf(created)
    assert.deepEqual(
      [
        agent.agent_name,
        agent.agent_url,
        agent.protocol,
        agent.access_level,
        agent.model_name,
        agent.api_key,
      ],
      ['Ours', 'https://agents.example.com/a2a', 'a2a', 'grey_box', 'unknown', null],
    )
    assert.equal(agent.rate_limit_requests_per_minute, 7)
    assert.ok((agent.import_metadata?.imported_at ?? 0) > 0)
    await putAgent(running, person, agent.id, {
      ...{ model_name: 'gpt-5.2', access_level: 'white_box' },
      agent_metadata: { ...agent.agent_metadata, tags: ['ours'] },
    })
    const again = { card: CARD, override_name: 'Ours' }
    assert.equal((await importOne(again)).action, 'unchanged')
    const updated = await importOne({ ...again, card: { ...CARD, version: '2' } })
    assert.equal(updated.action, 'update')
    const { model_name, access_level, agent_metadata } = await agentOf(updated)
    assert.deepEqual([model_name, access_level], ['gpt-5.2', 'white_box'])
    assert.deepEqual(agent_metadata, { description: 'Plans routes.', version: '2', tags: ['ours'] })
    assert.equal((await importOne({ card: CARD, external_key: 'own' })).external_key, 'own')
  })

  it('finds the card of a server where servers have it', async () => {
    for (const [given, path, others] of [
      ['/a/.well-known/agent-card.json', '/a/.well-known/agent-card.json', {}],
      ['/b', '/b/.well-known/agent-card.json', {}],
      ['/c/', '/c/.well-known/agent.json', { '/c/.well-known/agent-card.json': '<!doctype html>' }],
      ['/d', '/d/agent.json', {}],
      ['/e/card', '/e/card', {}],
      ['/f/card?assistant_id=1', '/f/card?assistant_id=1', {}],
    ] as const) {
      server.documents.set(path, CARD)
      for (const [other, document] of Object.entries(others)) server.documents.set(other, document)
      const item = await importOne({ card_url: server.url + given })
      assert.equal(item.external_key, server.url + path, given)
      const agent = await agentOf(item)
      assert.equal(agent.import_metadata?.source_url, server.url + path)
      assert.equal(server.requests.at(-1)?.headers['a2a-version'], '1.0')
    }
    const missing = await importOne({ card_url: `${server.url}/none` })
    assert.equal(missing.error?.code, 'validation_error')
    assert.match(faultOf(missing) ?? '', /no agent card/)
  })

  it('tells nothing about addresses that it may not reach', async () => {
    const blocked = await importOne({ card_url: 'http://169.254.169.254/card.json' })
    const refused = await importOne({ card_url: 'http://10.0.0.1/card.json' })
    assert.equal(faultOf(blocked), faultOf(refused))
    assert.match(faultOf(await importOne({ card_url: 'http://u:p@a.example/c.json' })) ?? '', /user name/)
    assert.match(faultOf(await importOne({ card_url: 'ftp://a.example/c.json' })) ?? '', /must start with/)
  })

  it('never moves a stored key to another server, even for a caller who may read it', async () => {
    const body = { card: CARD, external_key: 'moving' }
    const agent = await agentOf(await importOne(body))
    await putAgent(running, person, agent.id, { api_key: 'sk-canary-0123456789' })
    const supportedInterfaces = [
      { url: 'https://attacker.example', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ]
    for (const query of ['?dry_run=true', '']) {
      const refused = await importOne({ ...body, card: { ...CARD, supportedInterfaces } }, person, query)
      assert.equal(refused.error?.code, 'permission_missing')
      assert.match(refused.error?.detail ?? '', /refresh-card/)
    }
    assert.equal((await agentOf({ agent_id: agent.id } as AgentImportRowResult)).agent_url, agent.agent_url)
  })

  it('takes a key and a name for a card only', async () => {
    const rows = [{ external_key: 'row' }]
    const { status, body } = await send({
      rows,
      external_key: 'key',
      expected_revision: 0,
      override_name: 'Name',
    })
    const places = body.detail.map(({ loc }: { loc: string[] }) => loc.join('.'))
    assert.deepEqual(
      [status, places],
      [422, ['body.external_key', 'body.expected_revision', 'body.override_name']],
    )
  })

  it('does not let a card choose an agent of the team by its id', async () => {
    const { agent_id: id } = await importOne({ card: CARD })
    for (const url of [id, `urn:uuid:${id}`]) {
      const interfaces = [{ url, protocolBinding: 'GRPC', protocolVersion: '1.0' }]
      const card = { ...CARD, name: 'Chosen', supportedInterfaces: interfaces }
      assert.match(faultOf(await importOne({ card })) ?? '', /is a UUID; send external_key$/)
    }
  })

  it('refuses a card with a reference to a secret of the agent', async () => {
    const securitySchemes = { $secret: { mtlsSecurityScheme: {} } }
    const { action, faults } = await importOne({ card: { ...CARD, securitySchemes }, external_key: 'secret' })
    assert.deepEqual([action, faults[0]?.loc], ['failed', ['body', 0, 'securitySchemes', '$secret']])
  })
})
