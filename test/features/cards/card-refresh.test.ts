import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Agent } from '../../../src/agent/schema.ts'
import { createReadCard } from '../../../src/features/cards/import-card.ts'
import { documents } from '../../../src/http/validation/body.ts'
import { createRandom, type Json, makeCard } from '../../support/agent-cards.ts'
import { COLLECTION, createAgent, getAgent, putAgent } from '../../support/agents.ts'
import { startCardServer } from '../../support/card-server.ts'
import { closeAfter } from '../../support/close-after.ts'
import { type Person, useConsole } from '../../support/console.ts'

describe('the card of an agent', async () => {
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

  const CARD: Json = {
    ...{ name: 'Route planner', description: 'Plans routes.', version: '1.0.0' },
    supportedInterfaces: [
      { url: 'https://agents.example.com/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      {
        url: 'https://agents.example.com/rest',
        protocolBinding: 'HTTP+JSON',
        protocolVersion: '1.0',
        tenant: 't',
      },
    ],
    capabilities: { streaming: true },
    ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['application/json'] },
    skills: [{ id: 'plan', name: 'Plan', description: 'Plans a route.', tags: ['maps'] }],
    provider: { organization: 'Example', url: 'https://example.com' },
    securitySchemes: { key: { apiKeySecurityScheme: { name: 'X-Key', location: 'header' } } },
  }
  let cards = 0

  /** Serves a card and creates the agent that an import of it creates. */
  const importCard = async (card: Json, owner: Person, fields: object = {}, folder = '') => {
    const path = `${folder}/${++cards}/card.json`
    server.documents.set(path, card)
    const read = createReadCard({
      ...{ documents, now: Date.now },
      get: (url, options) => running.core.outbound.get(url, options),
    })
    const { signal } = new AbortController()
    const row = await read({ card_url: server.url + path }, { teamId: owner.team, signal })
    assert.deepEqual(row.faults, [])
    const agent = await createAgent(running, owner, { ...row.onCreate, ...row.fields, ...fields })
    return { agent, path }
  }
  const refresh = (id: string, query = '', owner = person, headers: Record<string, string> = {}) =>
    running.request('POST', `${COLLECTION}/${id}/refresh-card${query}`, { token: owner.token, headers })
  const readCard = (id: string, headers = {}) =>
    running.request('GET', `${COLLECTION}/${id}/agent-card`, { token: person.token, headers })
  const revisionOf = async ({ id }: Agent) => (await getAgent(running, person, id)).headers.get('etag')

  it('is made anew from the configuration, without secrets and signatures', async () => {
    const signatures = [{ protected: 'e30', signature: 'AAAA' }]
    const { agent } = await importCard({ ...CARD, signatures }, person, { api_key: 'sk-canary-0123456789' })
    const reply = await readCard(agent.id)
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(reply.body, CARD)
    assert.equal(reply.headers.get('etag'), '"1"')
    assert.match(reply.headers.get('cache-control') ?? '', /private/)
    assert.equal((await readCard(agent.id, { 'if-none-match': '"1"' })).status, 304)
    await putAgent(running, person, agent.id, { agent_url: 'https://new.example/a2a', purpose: null })
    const { body } = await readCard(agent.id)
    assert.equal(body.supportedInterfaces[0].url, 'https://new.example/a2a')
    assert.equal(body.supportedInterfaces.length, 3)
    assert.equal(body.description, 'Plans routes.')
  })

  it('survives the way through the console, for cards of both versions', async () => {
    const random = createRandom(7)
    for (let index = 0; index < 10; index++) {
      const { card, expected } = makeCard(random, index % 2 ? '1.0' : '0.3')
      const { agent } = await importCard(card, person)
      const reply = await readCard(agent.id)
      if (expected.agent_url === null) {
        assert.equal(reply.body.code, 'no_agent_card')
        continue
      }
      assert.equal(reply.status, 200, reply.text)
      const { body } = reply
      assert.deepEqual(
        [body.name, body.supportedInterfaces[0].url, body.skills.length, body.defaultInputModes],
        [expected.agent_name, expected.agent_url, expected.skills.length, card['defaultInputModes']],
      )
    }
  })

  it('does not exist for an agent that speaks another protocol, and survives any metadata', async () => {
    const plain = await createAgent(running, person, { agent_url: 'https://a.example' })
    assert.equal((await readCard(plain.id)).body.code, 'no_agent_card')
    assert.equal((await refresh(plain.id)).body.code, 'no_card_url')
    for (const import_metadata of [
      { source: 'a2a_card', interfaces: 5, source_url: 'https://a.example/card.json' },
      { source: 'a2a_card', pinned_interface: null, interfaces: [null] },
    ]) {
      const fields = {
        agent_url: 'https://a.example',
        protocol: 'a2a',
        import_metadata,
        skills: [{ any: 1 }],
      }
      const odd = await createAgent(running, person, fields)
      assert.deepEqual((await readCard(odd.id)).body.skills, [])
      assert.equal((await refresh(odd.id)).body.code, 'no_card_url')
    }
  })

  it('shows what a new version changes, and changes only that', async () => {
    const { agent, path } = await importCard(CARD, person, {
      agent_metadata: {
        tags: ['ours'],
        version: '1.0.0',
        description: 'Plans routes.',
        author: 'Example',
        author_url: 'https://example.com',
      },
      status: 'draft',
    })
    const unchanged = await refresh(agent.id)
    assert.equal(unchanged.status, 200, unchanged.text)
    assert.deepEqual(unchanged.body.changes, [])
    assert.equal(unchanged.body.revision, 1)
    assert.equal(server.requests.at(-1)?.headers['a2a-version'], '1.0')
    assert.ok(server.requests.at(-1)?.headers['if-none-match'])

    server.documents.set(path, { ...CARD, version: '2.0.0', skills: [], capabilities: { streaming: false } })
    const planned = await refresh(agent.id, '?dry_run=true')
    assert.equal(planned.body.dry_run, true)
    assert.deepEqual(planned.body.changes, [
      { field: 'agent_metadata.version', old: '1.0.0', new: '2.0.0' },
      { field: 'capabilities.streaming', old: true, new: false },
      { field: 'skills', old: agent.skills, new: [] },
    ])
    assert.equal(await revisionOf(agent), '"1"')
    assert.deepEqual([planned.body.revision, planned.headers.get('etag')], [1, '"1"'])
    assert.equal((await refresh(agent.id, '', person, { 'if-match': '"9"' })).body.code, 'revision_stale')
    const applied = await refresh(agent.id, '', person, { 'if-match': '"1"' })
    assert.equal(applied.body.revision, 2, applied.text)
    assert.equal(applied.headers.get('etag'), '"2"')
    const { body } = await getAgent(running, person, agent.id)
    assert.deepEqual(body.agent_metadata?.tags, ['ours'])
    assert.equal(body.agent_metadata?.version, '2.0.0')
    assert.equal(body.status, 'draft')
    const { digest } = body.import_metadata as Json
    assert.match(String(digest), /^[0-9a-f]{64}$/)
    assert.notEqual(digest, (agent.import_metadata as Json)['digest'])
    assert.deepEqual((await refresh(agent.id)).body.changes, [])
    const { body: audit } = await running.request('GET', `/v1/audit-events?agent_id=${agent.id}`, {
      token: person.token,
    })
    assert.deepEqual(audit.results[0].detail.fields, [
      'agent_metadata',
      'import_metadata',
      'capabilities',
      'skills',
    ])

    // What was changed here after the import stays until the card changes, also without entity tags.
    const other = await importCard(CARD, person, {}, '/untagged')
    await putAgent(running, person, other.agent.id, { purpose: 'Ours' })
    assert.deepEqual((await refresh(other.agent.id)).body.changes, [])
    await putAgent(running, person, agent.id, { purpose: 'Ours' })
    assert.deepEqual((await refresh(agent.id)).body.changes, [])
    server.documents.set(path, { ...CARD, version: '3.0.0' })
    const fields = (await refresh(agent.id)).body.changes.map(({ field }: { field: string }) => field)
    assert.ok(fields.includes('purpose'))
  })

  it('never sends a stored key to another server unless a caller who may read it says so', async () => {
    const { agent, path } = await importCard(CARD, person, { api_key: 'sk-canary-0123456789' })
    const moved = { url: 'https://attacker.example/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }
    server.documents.set(path, { ...CARD, version: '2', supportedInterfaces: [moved] })
    const planned = await refresh(agent.id, '?dry_run=true')
    assert.equal(planned.body.moves_to, moved.url)
    assert.match(planned.body.warnings.join(), /agent_url stays/)
    assert.equal((await refresh(agent.id)).status, 200)
    assert.equal((await getAgent(running, person, agent.id)).body.agent_url, 'https://agents.example.com/a2a')

    const writer = await running.person({ team: person.team, scope: 'agent:read agent:write' })
    for (const query of ['?move_interface=true', '?dry_run=true&move_interface=true']) {
      const refused = await refresh(agent.id, query, writer)
      assert.equal(refused.status, 403)
      assert.match(refused.body.detail, /agent:secret/)
    }
    assert.equal((await refresh(agent.id, '?move_interface=true')).status, 200)
    const { body } = await getAgent(running, person, agent.id)
    assert.equal(body.agent_url, moved.url)
    assert.equal(((body.import_metadata as Json)['pinned_interface'] as Json)['url'], moved.url)

    // An interface that comes first now does not replace the one that was chosen.
    server.documents.set(path, {
      ...CARD,
      supportedInterfaces: [...(CARD['supportedInterfaces'] as Json[]), moved],
    })
    const again = await refresh(agent.id, '?move_interface=true')
    assert.equal(again.body.moves_to, null)
    assert.equal((await getAgent(running, person, agent.id)).body.agent_url, moved.url)
  })

  it('keeps the binding that was chosen when the card has another one at the same URL', async () => {
    const { agent, path } = await importCard(CARD, person)
    const [chosen] = CARD['supportedInterfaces'] as [Json]
    const other = { ...chosen, protocolBinding: 'HTTP+JSON' }
    const bindingOf = async () =>
      (
        ((await getAgent(running, person, agent.id)).body.import_metadata as Json)['pinned_interface'] as Json
      )['protocol_binding']
    server.documents.set(path, { ...CARD, version: '2', supportedInterfaces: [other, chosen] })
    assert.equal((await refresh(agent.id)).body.moves_to, null)
    assert.equal(await bindingOf(), 'JSONRPC')
    server.documents.set(path, { ...CARD, version: '3', supportedInterfaces: [other] })
    assert.equal((await refresh(agent.id)).body.moves_to, chosen['url'])
    assert.equal(await bindingOf(), 'JSONRPC')
  })

  it('that is gone or broken changes nothing', async () => {
    const { agent, path } = await importCard(CARD, person)
    server.documents.set(path, '<!doctype html>')
    assert.equal((await refresh(agent.id)).body.code, 'card_unreadable')
    server.documents.set(path, { ...CARD, name: 'x'.repeat(256) })
    const unreadable = await refresh(agent.id)
    assert.equal(unreadable.status, 502)
    assert.match(unreadable.body.detail, /name/)
    server.documents.delete(path)
    assert.equal((await refresh(agent.id)).body.code, 'card_unreachable')
    assert.equal(await revisionOf(agent), '"1"')
  })
})
