import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { startTracing } from '../../../src/platform/observe/tracing.ts'
import { closeAfter } from '../../support/close-after.ts'
import { useConsoleWithNats } from '../../support/console-with-nats.ts'
import { useTraceCollector } from '../../support/trace-collector.ts'
import { until } from '../../support/until.ts'

const AGENTS = '/v1/agent-configurations'
const SECRET = 'sk-planted-0123456789-abcd'

/** A caller that traces: its trace, and the header that continues it. */
function callerTrace(isSampled = true) {
  const traceId = randomBytes(16).toString('hex')
  const spanId = randomBytes(8).toString('hex')
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-0${isSampled ? 1 : 0}` } }
}

describe('tracing', async () => {
  const collector = await useTraceCollector()
  const { running, nats } = await useConsoleWithNats({ environment: { TRACES_URL: collector.url } })
  const settings = { url: collector.url, headers: { 'x-collector': 'planted' }, sampleRatio: 0 }
  const service = { name: 'agent-console', version: '1', instanceId: 'one' }
  const tracing = await startTracing(settings, service, running.core.log)
  closeAfter(() => tracing.close())
  const { token } = await running.person()

  const arrived = (traceId: string, names: string[]) =>
    until(`the spans ${names.join(', ')} arrive`, () => {
      const found = collector.namesOf(traceId)
      return names.every((name) => found.includes(name))
    })
  const spanOf = (traceId: string, name: string) =>
    collector.spans.find((span) => span.traceId === traceId && span.name === name)

  it('follows a change from the request through the database to its event', async () => {
    const { traceId, spanId, headers } = callerTrace()
    const json = { agent_name: 'traced', model_name: 'm', api_key: SECRET }
    const created = await running.request('POST', AGENTS, { token, headers, json })
    assert.equal(created.status, 201)
    await arrived(traceId, [`POST ${AGENTS}`, 'create-agent', 'publish event'])
    const request = spanOf(traceId, `POST ${AGENTS}`)
    assert.equal(request?.parentSpanId, spanId)
    assert.deepEqual(request?.attributes.find(({ key }) => key === 'http.response.status_code')?.value, {
      intValue: 201,
    })
    for (const name of ['create-agent', 'publish event']) {
      assert.equal(spanOf(traceId, name)?.parentSpanId, request?.spanId, name)
    }
    const events = await nats.readAll()
    const event = events.find(({ subject }) => subject.endsWith(created.body.id))?.body
    assert.equal(event.traceparent, `00-${traceId}-${request?.spanId}-01`)
    assert.equal('traceparent' in event.data, false)
    assert.ok(running.logLines.some((line) => JSON.parse(line).trace_id === traceId))
  })

  it('follows deletions and recoveries', async () => {
    const { body } = await running.request('POST', AGENTS, {
      token,
      json: { agent_name: 'a', model_name: 'm' },
    })
    for (const [method, path, name] of [
      ['DELETE', `${AGENTS}/${body.id}`, `DELETE ${AGENTS}/:id`],
      ['POST', `${AGENTS}/${body.id}/recover`, `POST ${AGENTS}/:id/recover`],
    ] as const) {
      const { traceId, headers } = callerTrace()
      await running.request(method, path, { token, headers })
      await arrived(traceId, [name, 'publish event'])
    }
  })

  it('continues at an upstream', async () => {
    const { traceId, headers } = callerTrace()
    running.evolution.clearRequests()
    await running.request('GET', `/v1/evolution/status/${randomUUID()}`, { token, headers })
    await arrived(traceId, ['GET evolution'])
    const span = spanOf(traceId, 'GET evolution')
    const [received] = running.evolution.requests()
    assert.equal(
      received?.rawHeaders[received.rawHeaders.indexOf('traceparent') + 1],
      `00-${traceId}-${span?.spanId}-01`,
    )
  })

  it('follows nothing that neither the caller nor the ratio chose', async () => {
    const { traceId, headers } = callerTrace(false)
    const before = collector.spans.length
    const created = await running.request('POST', AGENTS, {
      token,
      headers,
      json: { agent_name: 'b', model_name: 'm' },
    })
    // A sampled request after it: when its spans are there, those of the first would be, too.
    const next = callerTrace()
    await running.request('GET', `${AGENTS}/${created.body.id}`, { token, headers: next.headers })
    await arrived(next.traceId, [`GET ${AGENTS}/:id`])
    assert.deepEqual(collector.namesOf(traceId), [])
    assert.ok(collector.spans.slice(before).every((span) => span.traceId === next.traceId))
    assert.ok(!running.logLines.some((line) => line.includes(traceId)))
  })

  it('sends no value of an agent, no token and no path of a request', async () => {
    const { traceId, headers } = callerTrace()
    const id = randomUUID()
    await running.request('PUT', `${AGENTS}/${id}?q=planted-query`, {
      token,
      headers,
      json: { api_key: SECRET, agent_name: 'planted-name' },
    })
    await arrived(traceId, [`PUT ${AGENTS}/:id`])
    const sent = collector.bodies.join()
    for (const planted of [SECRET, 'planted-name', 'planted-query', id, token]) {
      assert.equal(sent.includes(planted), false, planted)
    }
    assert.ok(collector.headers.every((received) => received['x-collector'] === 'planted'))
  })
})
