import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { DEMO_NAMES, type DemoName } from '../../dev/services/catalogue.ts'
import type { DemoService } from '../../dev/services/server.ts'
import { createDeclaration, type OpenApiDocument } from '../support/declared.ts'
import { startDemos } from '../support/demos.ts'
import { type Issuer, startIssuer } from '../support/issuer/issuer.ts'

interface Call {
  json?: unknown
  raw?: Buffer
  headers?: Record<string, string>
  token?: string | null
}

const user = randomUUID()
const team = randomUUID()
const agent = { agent_id: '01940b5e-7f4c-7a3b-9c1d-2e3f4a5b6c7d', revision: 3 }

let issuer: Issuer
let services: Record<DemoName, DemoService>
let own: string
let otherTeam: string
const seen = new Map<DemoName, Set<string>>(DEMO_NAMES.map((name) => [name, new Set()]))

before(async () => {
  issuer = await startIssuer({ grants: false })
  services = await startDemos(() => ({ issuer: issuer.url, audience: issuer.audience }))
  own = await issuer.token({ user, team })
  otherTeam = await issuer.token({ user, team: randomUUID() })
})
after(() => Promise.all([...Object.values(services), issuer].map((part) => part.close())))

const documentOf = (name: DemoName) => JSON.parse(services[name].document) as OpenApiDocument

/** Calls an operation by the path it declares, and sees to it that the answer is what it declares. */
async function call(name: DemoName, operation: string, values: string[] = [], options: Call = {}) {
  const [method = '', declared = ''] = operation.split(' ')
  const [template = '', query] = declared.split('?')
  const left = [...values]
  const path = template.replace(/\{\w+\}/g, () => encodeURIComponent(left.shift() ?? ''))
  const { token = own, json, raw, headers } = options
  const body = json === undefined ? raw : JSON.stringify(json)
  const response = await fetch(`${services[name].url}${path}${query ? `?${query}` : ''}`, {
    method,
    headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
    ...(body && { body }),
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const answered = {
    status: response.status,
    type: response.headers.get('content-type'),
    text: bytes.toString(),
  }
  assert.deepEqual(createDeclaration(documentOf(name))(method, template, answered), [], answered.text)
  seen.get(name)?.add(`${method} ${template}`)
  const isJson = answered.type?.includes('json')
  return {
    ...answered,
    bytes,
    headers: response.headers,
    body: isJson ? JSON.parse(answered.text) : undefined,
  }
}

describe('teams', () => {
  it('shows, changes and staffs the team of the token', async () => {
    const { body: list } = await call('teams', 'GET /v1/teams')
    assert.deepEqual(
      list.results.map(({ id }: { id: string }) => id),
      [team],
    )
    await call('teams', 'PATCH /v1/teams/{team_id}', [team], { json: { name: 'Platform', description: 'x' } })
    const { body: changed } = await call('teams', 'GET /v1/teams/{team_id}', [team])
    assert.equal(changed.name, 'Platform')

    const members = 'POST /v1/teams/{team_id}/members'
    const added = await call('teams', members, [team], {
      json: { kind: 'user', email: 'a@b.test', role: 'editor' },
    })
    assert.equal(added.status, 201)
    await call('teams', members, [team], { json: { kind: 'service', label: 'ci', role: 'viewer' } })
    const page = await call('teams', 'GET /v1/teams/{team_id}/members?limit=2', [team])
    assert.equal(page.body.results.length, 2)
    assert.equal(page.headers.get('x-total-count'), '3')

    const one = '/v1/teams/{team_id}/members/{member_id}'
    const id = added.body.id as string
    assert.deepEqual((await call('teams', `GET ${one}`, [team, id])).body, added.body)
    assert.equal((await call('teams', `DELETE ${one}`, [team, id])).status, 204)
    assert.equal((await call('teams', `GET ${one}`, [team, id])).status, 404)
  })

  it('refuses in its own form', async () => {
    const refused = await call('teams', 'POST /v1/teams/{team_id}/members', [team], {
      json: { kind: 'user' },
    })
    assert.equal(refused.status, 422)
    assert.equal(refused.body.field, 'role')
    const limit = await call('teams', 'GET /v1/teams/{team_id}/members?limit=0', [team])
    assert.equal(limit.status, 422)
  })
})

describe('evaluation', () => {
  const create = async (more: object = {}) => {
    const json = { agent, harness: 'safety', ...more }
    const { body } = await call('evaluation', 'POST /v1/evaluations', [], { json })
    return body.id as string
  }
  const put = 'PUT /v1/evaluations/{evaluation_id}/report'
  const get = 'GET /v1/evaluations/{evaluation_id}/report'

  it('takes a report as a file, and gives it back whole or in part', async () => {
    const id = await create()
    assert.equal((await call('evaluation', get, [id])).status, 404)
    const raw = randomBytes(3_000_001)
    const { body: report } = await call('evaluation', put, [id], { raw })
    assert.equal(report.size, raw.length)

    const whole = await call('evaluation', get, [id])
    assert.ok(whole.bytes.equals(raw))
    const etag = whole.headers.get('etag') ?? ''
    for (const [range, from, to] of [
      ['bytes=0-0', 0, 1],
      ['bytes=1000-', 1000, raw.length],
      ['bytes=-5', raw.length - 5, raw.length],
      ['bytes=10-99999999', 10, raw.length],
    ] as const) {
      const part = await call('evaluation', get, [id], { headers: { range } })
      assert.equal(part.status, 206)
      assert.equal(part.headers.get('content-range'), `bytes ${from}-${to - 1}/${raw.length}`)
      assert.ok(part.bytes.equals(raw.subarray(from, to)))
    }
    const beyond = await call('evaluation', get, [id], { headers: { range: `bytes=${raw.length}-` } })
    assert.equal(beyond.status, 416)
    const stale = { range: 'bytes=0-9', 'if-range': '"other"' }
    assert.equal((await call('evaluation', get, [id], { headers: stale })).bytes.length, raw.length)
    assert.equal((await call('evaluation', get, [id], { headers: { 'if-none-match': etag } })).status, 304)

    const { body: read } = await call('evaluation', 'GET /v1/evaluations/{evaluation_id}', [id])
    assert.equal(read.state, 'completed')
    assert.deepEqual(read.report, report)
    const { body: list } = await call('evaluation', 'GET /v1/evaluations')
    assert.deepEqual(list.results[0], read)
  })

  it('notifies the caller that asked for it that the report is there', async () => {
    const listener = createServer().listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const { port } = listener.address() as { port: number }
    try {
      const told = once(listener, 'request')
      const id = await create({ callback_url: `http://127.0.0.1:${port}/done` })
      await call('evaluation', put, [id], { raw: Buffer.from('report') })
      const [request, response] = await told
      const evaluation = JSON.parse(await text(request)) as { id: string; state: string }
      response.writeHead(204).end()
      assert.deepEqual([evaluation.id, evaluation.state], [id, 'completed'])
    } finally {
      listener.close()
    }
  })
})

describe('calls of an agent', () => {
  it('name it by a parameter that the console counts', async () => {
    const probe = await call('evaluation', `POST /v1/evaluations/probes?agent_id=${agent.agent_id}`)
    assert.deepEqual(probe.body, { agent_id: agent.agent_id, answered: true })
    assert.equal((await call('evaluation', 'POST /v1/evaluations/probes?agent_id=7')).status, 422)
    const check = 'POST /v1/telemetry/agents/{agent_id}/checks'
    const { body } = await call('protection', check, [agent.agent_id])
    assert.deepEqual(body, { agent_id: agent.agent_id, stopped: false })
    assert.equal((await call('protection', check, ['7'])).status, 422)
    const declared = (name: DemoName, path: string) => Object(documentOf(name).paths[path])['post']
    assert.deepEqual(declared('evaluation', '/v1/evaluations/probes')['x-console-agent'], {
      ...{ in: 'query', name: 'agent_id' },
    })
  })
})

describe('protection', () => {
  const one = '/v1/guardrails/{name}'

  it('keeps guardrails under any name', async () => {
    const name = 'no refunds / ever: 100 %'
    const json = { type: 'blocklist', words: ['refund'] }
    const { body: kept } = await call('protection', `PUT ${one}`, [name], { json })
    assert.equal(kept.name, name)
    assert.deepEqual((await call('protection', `GET ${one}`, [name])).body, kept)
    const { body: list } = await call('protection', 'GET /v1/guardrails')
    assert.deepEqual(list.results, [kept])
    assert.equal((await call('protection', `DELETE ${one}`, [name])).status, 204)
    assert.equal((await call('protection', `PUT ${one}`, [name], { json: { type: 'x' } })).status, 422)
  })

  it('streams events in order, and goes on where a reader left off', async () => {
    const stream = 'GET /v1/telemetry/events?limit=2'
    const first = await call('protection', stream)
    const then = await call('protection', stream, [], { headers: { 'last-event-id': '2' } })
    const events = [...`${first.text}${then.text}`.matchAll(/id: (\d+)\nevent: (\w+)\ndata: (.+)\n\n/g)]
    assert.deepEqual(
      events.map(([, id]) => id),
      ['1', '2', '3', '4'],
    )
    for (const [, id = '', kind, data = ''] of events) {
      const { body } = await call('protection', 'GET /v1/telemetry/events/{event_id}', [id])
      assert.deepEqual(JSON.parse(data), body)
      assert.equal(body.kind, kind)
    }
    assert.equal((await call('protection', 'GET /v1/telemetry/report')).body.streams, 0)
  })
})

describe('red team', () => {
  const create = 'POST /v1/campaigns'
  const json = { name: 'Refunds', technique: 'jailbreak', agent_ids: [agent.agent_id] }

  it('keeps campaigns until they are stopped', async () => {
    const { body: made, headers } = await call('red-team', create, [], { json })
    assert.equal(made.state, 'planned')
    assert.equal(headers.get('location'), `/v1/campaigns/${made.id}`)
    assert.deepEqual((await call('red-team', 'GET /v1/campaigns/{campaign_id}', [made.id])).body, made)
    const { body: stopped } = await call('red-team', 'POST /v1/campaigns/{campaign_id}/stop', [made.id])
    assert.equal(stopped.state, 'stopped')
    const { body: findings } = await call('red-team', 'GET /v1/campaigns/{campaign_id}/findings', [made.id])
    assert.deepEqual(findings.results, [])
    assert.deepEqual((await call('red-team', 'GET /v1/campaigns?state=stopped')).body.results, [stopped])
    assert.deepEqual((await call('red-team', 'GET /v1/campaigns?state=running')).body.results, [])
  })

  it('refuses in its own form', async () => {
    for (const [change, field] of [
      [{ name: '' }, 'name'],
      [{ technique: 'asking' }, 'technique'],
      [{ agent_ids: [] }, 'agent_ids'],
    ] as const) {
      const refused = await call('red-team', create, [], { json: { ...json, ...change } })
      assert.deepEqual([refused.status, refused.body.error.field], [422, field])
    }
    assert.equal((await call('red-team', 'GET /v1/campaigns?state=lost')).status, 422)
    const foreign = { token: otherTeam }
    const { body: made } = await call('red-team', create, [], { json })
    assert.equal((await call('red-team', 'GET /v1/campaigns/{campaign_id}', [made.id], foreign)).status, 404)
  })
})

describe('environment', () => {
  it('keeps personas and policies, and has harnesses for every team', async () => {
    const json = { name: 'Hurried', traits: ['terse'] }
    const { body: persona } = await call('environment', 'POST /v1/personas', [], { json })
    const one = '/v1/personas/{persona_id}'
    assert.deepEqual((await call('environment', `GET ${one}`, [persona.id])).body, persona)
    assert.deepEqual((await call('environment', 'GET /v1/personas')).body.results, [persona])
    assert.equal((await call('environment', `DELETE ${one}`, [persona.id])).status, 204)
    assert.equal((await call('environment', `DELETE ${one}`, [persona.id])).status, 404)

    const policy = '/v1/policies/{name}'
    const text = { text: 'No refunds.', tags: ['billing'], enforcement: 'warn' }
    const { body: kept } = await call('environment', `PUT ${policy}`, ['a / b'], { json: text })
    assert.deepEqual((await call('environment', `GET ${policy}`, ['a / b'])).body, kept)
    assert.deepEqual((await call('environment', 'GET /v1/policies')).body.results, [kept])
    assert.equal((await call('environment', `DELETE ${policy}`, ['a / b'])).status, 204)
    const refused = await call('environment', `PUT ${policy}`, ['x'], { json: { ...text, tags: [1] } })
    assert.deepEqual([refused.status, refused.body.errors], [422, ['tags/0 must be string']])

    const { body: harnesses } = await call('environment', 'GET /v1/harnesses')
    for (const harness of harnesses.results) {
      const { body: read } = await call('environment', 'GET /v1/harnesses/{name}', [harness.name])
      assert.deepEqual(read, harness)
    }
    assert.equal((await call('environment', 'GET /v1/harnesses/{name}', ['none'])).status, 404)
  })
})

describe('each demonstration service', () => {
  it('serves what its document declares, and was asked for all of it above', () => {
    for (const name of DEMO_NAMES) {
      const declared = Object.entries(documentOf(name).paths).flatMap(([path, item]) =>
        Object.keys(item)
          .filter((key) => key !== 'parameters')
          .map((method) => `${method.toUpperCase()} ${path}`),
      )
      assert.deepEqual([...(seen.get(name) ?? [])].toSorted(), declared.toSorted())
    }
  })

  it('wants a token, and shows another team nothing', async () => {
    const refused = await call('teams', 'GET /v1/teams', [], { token: null })
    assert.equal(refused.status, 401)
    for (const name of DEMO_NAMES) {
      const [path = ''] = Object.keys(documentOf(name).paths)
      assert.equal((await call(name, `GET ${path}`, [], { token: 'x' })).status, 401)
    }
    const there = await call('teams', 'GET /v1/teams/{team_id}', [team], { token: otherTeam })
    assert.equal(there.status, 404)
    const { id } = (await call('evaluation', 'GET /v1/evaluations')).body.results[0]
    const foreign = await call('evaluation', 'GET /v1/evaluations/{evaluation_id}', [id], {
      token: otherTeam,
    })
    assert.equal(foreign.status, 404)
    const { body: list } = await call('evaluation', 'GET /v1/evaluations', [], { token: otherTeam })
    assert.deepEqual(list.results, [])
  })

  it('publishes its document with an ETag', async () => {
    for (const service of Object.values(services)) {
      const url = `${service.url}/openapi.json`
      const etag = (await fetch(url)).headers.get('etag') ?? ''
      assert.equal((await fetch(url, { headers: { 'if-none-match': etag } })).status, 304)
    }
  })

  it('goes away and comes back', async () => {
    const { teams } = services
    await teams.stop()
    await assert.rejects(fetch(teams.url))
    await teams.resume()
    await call('teams', 'GET /v1/teams')
  })
})
