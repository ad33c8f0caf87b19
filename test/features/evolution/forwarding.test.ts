import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, it } from 'node:test'
import { useConsole } from '../../support/console.ts'

const STATUS = '/v1/evolution/status'

describe('the two operations of the evolution service', async () => {
  const running = await useConsole()
  const person = await running.person({ scope: '' })
  beforeEach(() => {
    running.evolution.misbehave(null)
    running.evolution.clearRequests()
  })

  it('read the status of any agent, known here or not, with a token and no permission', async () => {
    const id = randomUUID()
    const reply = await running.request('GET', `${STATUS}/${id}`, { token: person.token })
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.body.agent_id, id)
    assert.equal(reply.headers.get('content-type'), 'application/json')
  })

  it('reach one exact path, built from the normalised id', async () => {
    const id = '3fa85f64-5717-4562-b3fc-2c963f66afa6'
    for (const format of [
      id,
      id.toUpperCase(),
      id.replaceAll('-', ''),
      `urn:uuid:${id}`,
      `{${id}}`,
      `${id}/`,
    ]) {
      const reply = await running.request('GET', `${STATUS}/${format}`, { token: person.token })
      assert.equal(reply.status, 200, format)
    }
    const targets = new Set(running.evolution.requests().map(({ target }) => target))
    assert.deepEqual([...targets], [`/evolution/status/${id}`])
  })

  it('seed a genome, with and without a slash at the end of the path, and return 200 for any 2xx', async () => {
    for (const path of ['/v1/genomes/', '/v1/genomes']) {
      for (const genome of [{}, { name: 'x', traits: [1] }]) {
        const reply = await running.request('POST', path, { token: person.token, json: genome })
        assert.equal(reply.status, 200, reply.text)
        assert.deepEqual(reply.body.genome, genome)
      }
    }
    const requests = running.evolution.requests()
    assert.ok(requests.every(({ method, target }) => method === 'POST' && target === '/v1/genomes'))
    assert.equal(requests.length, 4)
  })

  it('reject a body that is not a JSON object, without sending it to the evolution service', async () => {
    for (const [raw, type] of [
      ['[]', 'dict_type'],
      ['"x"', 'dict_type'],
      ['5', 'dict_type'],
      ['null', 'missing'],
      ['', 'missing'],
      ['{"a":', 'json_invalid'],
      [`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`, 'json_invalid'],
    ] as const) {
      const reply = await running.request('POST', '/v1/genomes/', { token: person.token, raw })
      assert.equal(reply.status, 422, raw)
      assert.equal(reply.body.detail[0].type, type, raw)
    }
    const reply = await running.request('GET', `${STATUS}/abc`, { token: person.token })
    assert.equal(reply.status, 422)
    assert.deepEqual(reply.body.detail[0].loc, ['path', 'agent_id'])
    assert.equal(running.evolution.requests().length, 0)
  })

  it('need a valid token, which is what the evolution service gets', async () => {
    const none = await running.request('GET', `${STATUS}/${randomUUID()}`)
    assert.equal(none.status, 401)
    assert.equal(running.evolution.requests().length, 0)
    await running.request('GET', `${STATUS}/${randomUUID()}`, { token: person.token })
    const [received] = running.evolution.requests()
    const at = received?.rawHeaders.findIndex((name) => name.toLowerCase() === 'authorization') ?? -1
    assert.equal(received?.rawHeaders[at + 1], `Bearer ${person.token}`)
  })

  it('give back a 4xx as it is: status, bytes and the headers on the list', async () => {
    const refused = await running.request('POST', '/v1/genomes/', {
      token: person.token,
      json: { reject: true },
    })
    assert.equal(refused.status, 422)
    running.evolution.misbehave('error_4xx', {
      status: 429,
      headers: { 'retry-after': '7', 'set-cookie': 'a=b', server: 'x', 'x-internal': 'x' },
    })
    const limited = await running.request('GET', `${STATUS}/${randomUUID()}`, { token: person.token })
    assert.equal(limited.status, 429)
    assert.equal(limited.headers.get('retry-after'), '7')
    for (const name of ['set-cookie', 'server', 'x-internal']) assert.equal(limited.headers.get(name), null)
  })

  it('carry the request id and the trace on', async () => {
    const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await running.request('GET', `${STATUS}/${randomUUID()}`, {
      token: person.token,
      headers: {
        'x-request-id': 'one-id',
        traceparent: trace,
        tracestate: 'a=b',
        cookie: 'c',
        'x-other': 'o',
      },
    })
    const headers = headersOf(running.evolution.requests()[0])
    assert.equal(headers['x-request-id'], 'one-id')
    assert.equal(headers['traceparent'], trace)
    assert.equal(headers['tracestate'], 'a=b')
    assert.equal(headers['accept-encoding'], 'identity')
    assert.equal(headers['cookie'], undefined)
    assert.equal(headers['x-other'], undefined)
  })

  it('are counted in the metrics by upstream and outcome', async () => {
    running.evolution.misbehave('error_500', { times: 1 })
    await running.request('POST', '/v1/genomes/', { token: person.token, json: {} })
    const text = await running.core.metrics.registry.metrics()
    for (const line of [
      /console_upstream_call_duration_seconds_count\{upstream="evolution",outcome="succeeded"\} \d+/,
      /console_upstream_call_duration_seconds_count\{upstream="evolution",outcome="server_error"\} \d+/,
      /console_upstream_breaker_state\{upstream="evolution",state="closed"\} 1/,
      /console_upstream_in_flight\{upstream="evolution"\} 0/,
    ]) {
      assert.match(text, line)
    }
  })
})

describe('without EVOLUTION_URL and NATS_URL', async () => {
  const running = await useConsole({ environment: { EVOLUTION_URL: '', NATS_URL: '' } })

  it('each operation that needs one says that it is not configured, and whom to ask', async () => {
    const { token } = await running.person()
    for (const [method, path, code, variable] of [
      ['GET', `${STATUS}/${randomUUID()}`, 'upstream_not_configured', 'EVOLUTION_URL'],
      ['POST', '/v1/genomes/', 'upstream_not_configured', 'EVOLUTION_URL'],
      ['GET', '/v1/agent-configurations/events', 'events_not_configured', 'NATS_URL'],
    ] as const) {
      const json = method === 'POST' ? { json: {} } : {}
      const reply = await running.request(method, path, { token, ...json })
      assert.deepEqual([reply.status, reply.body.code], [503, code])
      assert.match(reply.body.detail, new RegExp(`ask the operator of the console to set ${variable}\\.$`))
      assert.equal(reply.headers.get('retry-after'), '60')
    }
  })
})

describe('without an evolution service', async () => {
  const running = await useConsole({ environment: { EVOLUTION_URL: 'http://127.0.0.1:9' } })

  it('both operations return 503 with Retry-After, and the rest of the console works', async () => {
    const { token } = await running.person()
    for (const [method, path] of [
      ['GET', `${STATUS}/${randomUUID()}`],
      ['POST', '/v1/genomes/'],
    ] as const) {
      const reply = await running.request(method, path, {
        token,
        ...(method === 'POST' ? { json: {} } : {}),
      })
      assert.equal(reply.status, 503)
      assert.equal(reply.body.code, 'upstream_unavailable')
      assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/)
    }
    const created = await running.request('POST', '/v1/agent-configurations', {
      token,
      json: { agent_name: 'A', model_name: 'm' },
    })
    assert.equal(created.status, 201)
  })
})

function headersOf(request: { rawHeaders: string[] } | undefined): Record<string, string> {
  const raw = request?.rawHeaders ?? []
  const pairs = raw.flatMap((name, i) => (i % 2 === 0 ? [[name.toLowerCase(), raw[i + 1] as string]] : []))
  return Object.fromEntries(pairs)
}
