import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { AgentImportItem } from '../../src/contract/imports.ts'
import type { Json } from '../support/agent-cards.ts'
import { getAgent, putAgent } from '../support/agents.ts'
import { startCardServer } from '../support/card-server.ts'
import { type Person, useConsole } from '../support/console.ts'
import { createCardSigner, signWithSdk } from '../support/signed-cards.ts'

const CARD: Json = {
  ...{ name: 'Route planner', description: 'Plans routes.', version: '1.0.0' },
  supportedInterfaces: [
    { url: 'https://agents.example.com/grpc', protocolBinding: 'GRPC', protocolVersion: '1.0' },
    { url: 'https://agents.example.com/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
  ],
  capabilities: {},
  ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'], skills: [] },
}
const CARD_TYPE = 'application/a2a-agent-card+json'
const CATALOG_TYPE = 'application/ai-catalog+json'

describe('imports of agent cards', async () => {
  const server = await startCardServer()
  after(() => server.close())
  const running = await useConsole({
    environment: {
      OUTBOUND_ALLOWED_CIDRS: '127.0.0.0/8',
      OUTBOUND_ALLOWED_PORTS: String(server.port),
      OUTBOUND_INSECURE_HTTP: 'on',
    },
  })
  const person = await running.person()

  const send = (json: object, owner: Person = person, query = '') =>
    running.request('POST', `/v1/agent-imports${query}`, { token: owner.token, json })
  const importAll = async (json: object, owner: Person = person, query = ''): Promise<AgentImportItem[]> => {
    const reply = await send(json, owner, query)
    assert.equal(reply.status, 200, reply.text)
    return reply.body.results
  }
  const importOne = async (json: object, owner: Person = person, query = ''): Promise<AgentImportItem> => {
    const [item, ...others] = await importAll(json, owner, query)
    assert.deepEqual(others, [])
    return item as AgentImportItem
  }
  const agentOf = async ({ agent_id: id }: AgentImportItem, owner: Person = person) =>
    (await getAgent(running, owner, id ?? '')).body
  const faultOf = ({ faults }: AgentImportItem) => faults[0]?.msg

  it('does not apply the plan of a card that has changed since, and says why', async () => {
    server.documents.set('/planned.json', CARD)
    const body = { card_url: `${server.url}/planned.json` }
    const { body: dryRun } = await send(body, person, '?dry_run=true')
    server.documents.set('/planned.json', { ...CARD, version: '2.0.0' })
    const reply = await send(body, person, `?plan=${dryRun.plan}`)
    assert.deepEqual([reply.status, reply.body.code], [409, 'plan_not_valid'])
    assert.match(reply.body.detail, /a card that was fetched has changed/)
  })

  it('says that a document is not JSON, such as the page of a login', async () => {
    server.documents.set('/login.json', '<!doctype html>')
    const url = `${server.url}/login.json`
    assert.equal(
      faultOf(await importOne({ card_url: url })),
      'JSON decode error, the document at this URL is not JSON',
    )
    const { body } = await send({ catalog_url: url })
    assert.deepEqual(body.detail, [
      {
        loc: ['body', 'catalog_url'],
        msg: 'JSON decode error, the document at this URL is not JSON',
        type: 'json_invalid',
      },
    ])
  })

  it('creates an agent once, and keeps what the team has set', async () => {
    const planned = await importOne({ card: CARD }, person, '?dry_run=true')
    assert.equal(planned.action, 'create')
    const created = await importOne({ card: CARD, override_name: 'Ours', rate_limit_requests_per_minute: 7 })
    assert.equal(created.action, 'create', JSON.stringify(created))
    assert.equal(created.external_key, 'https://agents.example.com/a2a')
    assert.deepEqual(created.signature, { state: 'absent' })
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

  it('reads catalogs, those in them too, and reports each card by itself', async () => {
    const owner = await running.person()
    server.documents.set('/cat/one.json', { ...CARD, name: 'One' })
    server.documents.set('/cat/nested.json', {
      entries: [
        { identifier: 'urn:air:example.com:three', type: CARD_TYPE, url: `${server.url}/cat/three.json` },
        {
          identifier: 'deeper',
          type: CATALOG_TYPE,
          data: {
            entries: [
              { identifier: 'deepest', type: CATALOG_TYPE, data: { entries: [] } },
              { identifier: 'four', mediaType: CARD_TYPE, data: { ...CARD, name: 'Four' } },
            ],
          },
        },
      ],
    })
    const catalog = {
      specVersion: '1.0',
      entries: [
        { identifier: 'urn:air:example.com:one', mediaType: CARD_TYPE, url: `${server.url}/cat/one.json` },
        { identifier: 'two', type: `${CARD_TYPE}; charset=utf-8`, data: { ...CARD, name: 'Two' } },
        { identifier: 'tool', mediaType: 'application/mcp-server+json', url: 'https://mcp.example.com' },
        { identifier: 'nested', mediaType: CATALOG_TYPE, url: `${server.url}/cat/nested.json` },
        { identifier: 'both', mediaType: CARD_TYPE, url: 'https://a.example', data: {} },
        { identifier: '3fa85f64-5717-4562-b3fc-2c963f66afa6', mediaType: CARD_TYPE, data: CARD },
        { identifier: 'broken', mediaType: CARD_TYPE, data: { ...CARD, name: 5 } },
      ],
    }
    server.documents.set('/catalog.json', catalog)
    const items = await importAll({ catalog_url: `${server.url}/catalog.json` }, owner)
    assert.deepEqual(
      items.map(({ external_key: key, action, faults }) => [key, action, faults[0]?.msg.slice(0, 32)]),
      [
        ['urn:air:example.com:one', 'create', undefined],
        ['two', 'create', undefined],
        ['urn:air:example.com:three', 'failed', 'Value error, the URL returned the status'],
        ['deepest', 'failed', 'Value error, catalogs may be nested 3 d'],
        ['four', 'create', undefined],
        ['both', 'failed', 'Value error, an entry has exactly one o'],
        [null, 'failed', 'Value error, an identifier of a catalog '],
        ['broken', 'failed', 'Input should be a valid string'],
      ].map(([key, action, msg]) => [key, action, msg?.slice(0, 32)]),
    )
    assert.deepEqual(items.at(-1)?.faults[0]?.loc, ['body', 7, 'name'])
    const same = await importAll({ catalog }, owner)
    assert.deepEqual(
      same.map(({ action }) => action),
      ['unchanged', 'unchanged', 'failed', 'failed', 'unchanged', 'failed', 'failed', 'failed'],
    )
  })

  it('refuses a catalog that is too large, unreadable or none', async () => {
    const entry = (index: number) => ({ identifier: `e${index}`, type: CARD_TYPE, data: CARD })
    const many = { entries: Array.from({ length: 1_001 }, (_, index) => entry(index)) }
    for (const [body, loc] of [
      [{ catalog: many }, ['body', 'catalog', 'entries']],
      [{ catalog: { cards: [] } }, ['body', 'catalog', 'entries']],
      [{ catalog_url: `${server.url}/none.json` }, ['body', 'catalog_url']],
    ] as const) {
      const { status, body: reply } = await send(body)
      assert.equal(status, 422)
      assert.deepEqual(reply.detail[0].loc, loc)
    }
    const half = { entries: many.entries.slice(0, 600) }
    const nested = { entries: [1, 2].map((n) => ({ identifier: `c${n}`, type: CATALOG_TYPE, data: half })) }
    const { body } = await send({ catalog: nested }, await running.person(), '?dry_run=true')
    assert.match(body.results.at(-1).faults[0].msg, /at most 1000 entries/)
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
    assert.equal((await agentOf({ agent_id: agent.id } as AgentImportItem)).agent_url, agent.agent_url)
  })

  it('takes a key and a name for one card only', async () => {
    const entries = [{ identifier: 'one', mediaType: CARD_TYPE, data: CARD }]
    for (const source of [{ catalog: { entries } }, { rows: [{ external_key: 'row' }] }]) {
      const { status, body } = await send({ ...source, external_key: 'key', override_name: 'Name' })
      const places = body.detail.map(({ loc }: { loc: string[] }) => loc.join('.'))
      assert.deepEqual([status, places], [422, ['body.external_key', 'body.override_name']])
    }
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

  it('follows the policy of the team, and reports the signature of each card', async () => {
    const owner = await running.person()
    const put = (what: string, json: object) =>
      running.request('PUT', `/v1/${what}`, { token: owner.token, json })
    const { key, ...rest } = createCardSigner('RS256', 'key', ['https://agents.example.com'])
    const { kid, ...content } = key
    await put(`card-keys/${kid}`, content)
    const signed = await signWithSdk(CARD, { key, ...rest })
    const verified = await importOne({ card: signed }, owner)
    assert.equal(verified.signature?.state, 'verified')
    assert.deepEqual(
      ((await agentOf(verified, owner)).import_metadata as Json)['signature'],
      verified.signature,
    )
    // The text that the SDK signs has no empty members: what was added does not become a field.
    const added = { ...signed, securitySchemes: { a: { mtlsSecurityScheme: {} } } }
    const covered = await importOne({ card: added, external_key: 'added' }, owner)
    assert.deepEqual([covered.signature?.state, covered.warnings], ['verified', []])
    assert.equal('security_schemes' in ((await agentOf(covered, owner)).import_metadata ?? {}), false)
    const sigstore = { agentCard: CARD, verificationMaterial: { signatureBundle: {} } }
    for (const [card, state, actions] of [
      [signed, 'verified', ['create', 'create', 'create']],
      [CARD, 'absent', ['create', 'create', 'failed']],
      [{ ...signed, name: 'Other' }, 'invalid', ['create', 'failed', 'failed']],
      [sigstore, 'unsupported_format', ['create', 'create', 'failed']],
      // An interface elsewhere: the key is not trusted for it.
      [
        await signWithSdk(
          {
            ...CARD,
            supportedInterfaces: [
              { url: 'https://b.example', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
            ],
          },
          { key, ...rest },
        ),
        'untrusted_key',
        ['create', 'create', 'failed'],
      ],
    ] as const) {
      for (const [index, signatures] of (['off', 'if_present', 'require'] as const).entries()) {
        await put('card-policy', { signatures })
        const item = await importOne({ card, external_key: `${state} ${signatures}` }, owner, '?dry_run=true')
        assert.deepEqual([item.signature?.state, item.action], [state, actions[index]], signatures)
      }
    }
  })
})
