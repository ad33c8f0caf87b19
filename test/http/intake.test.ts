import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'
import { describe, it } from 'node:test'
import type { QueueEntry } from '../../src/platform/fairness/fair-queue.ts'
import { COLLECTION, createAgent, getAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'
import { fill, hold } from '../support/queues.ts'
import { until } from '../support/until.ts'

const PER_TURN = 8
const FLOOD = 10 * PER_TURN
/** The team of callers whose token is not verified yet. */
const UNVERIFIED = 'unverified token'

describe('the intake', async () => {
  /** How many requests began in each turn of the event loop. */
  const begun = new Map<number, number>()
  let onBegin: () => void = () => {}
  const running = await useConsole({
    extend: (app) =>
      void app.addHook('onRequest', (_request, _reply, done) => {
        const turn = performance.nodeTiming.uvMetricsInfo.loopCount
        begun.set(turn, (begun.get(turn) ?? 0) + 1)
        onBegin()
        done()
      }),
  })
  const person = await running.person()
  const { id } = await createAgent(running, person)
  const queue = running.deps.lanes.intake

  /** A person whose team is known from an earlier request. */
  const knownPerson = async () => {
    const known = await running.person()
    const lines = () => linesWith(known.user).length
    assert.equal((await getAgent(running, known, id)).status, 404)
    await until('the response has ended', () => lines() === 1)
    return known
  }

  const linesWith = (text: string) =>
    running.logLines.filter((line) => line.includes(text)).map((line) => JSON.parse(line))

  /** Sends requests of a person at once, on one connection. */
  const send = (count: number, { token } = person) => {
    const { hostname, port } = new URL(running.url)
    const socket = connect(Number(port), hostname)
    socket.write(`GET /v1/me HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`.repeat(count))
    return socket
  }

  const metrics = async (line: RegExp) => {
    const text = await running.deps.metrics.registry.metrics()
    return Number(new RegExp(`^${line.source} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
  }

  it('begins a few requests in each turn of the event loop', async () => {
    begun.clear()
    const socket = send(100)
    let received = ''
    socket.on('data', (data) => (received += String(data)))
    await until('all responses', () => received.split('HTTP/1.1 200').length === 101)
    socket.destroy()
    const counts = [...begun.values()]
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      100,
    )
    // A turn can end the places of the turn before, and give them again.
    assert.ok(Math.max(...counts) <= 2 * PER_TURN, `begun in each turn: ${counts.join(', ')}`)
  })

  it('counts the wait of a request in its duration', async () => {
    const waiter = await knownPerson()
    const release = hold(queue, randomUUID(), PER_TURN)
    const reply = getAgent(running, waiter, id)
    await until('it waits', () => queue.count().waiting === 1)
    const since = performance.now()
    await until('a second has passed', () => performance.now() - since >= 1_000)
    release()
    assert.equal((await reply).status, 404)
    await until('it is in the access log', () => linesWith(waiter.user).length === 2)
    const { duration_ms: tookMs } = linesWith(waiter.user)[1]
    assert.ok(tookMs >= 1_000, `${tookMs} ms in the access log`)
  })

  it('gives a request of a known team its turn before those of unknown callers that flood it', async () => {
    const known = await knownPerson()
    const release = hold(queue, UNVERIFIED, PER_TURN)
    const order: string[] = []
    for (let n = 0; n < FLOOD; n++) {
      const entry: QueueEntry = {
        team: UNVERIFIED,
        onPlace: () => {
          order.push('flood')
          setImmediate(queue.release, entry)
        },
        onRefusal: () => assert.fail('it waits'),
      }
      queue.enter(entry)
    }
    const reply = getAgent(running, known, id)
    await until('it waits', () => queue.count().waiting === FLOOD + 1)
    onBegin = () => order.push('known')
    release()
    await reply
    await until('all have begun', () => order.length === FLOOD + 1)
    onBegin = () => {}
    assert.ok(order.indexOf('known') < 2 * PER_TURN, order.join(' '))
  })

  it('begins no request of a client that has disconnected, and counts no refusal', async () => {
    const waits = /console_place_wait_seconds_count\{lane="intake"\}/
    const refusals = /console_refusals_total\{lane="intake",cause="\w+"\}/
    const before = await metrics(waits)
    const release = hold(queue, randomUUID(), PER_TURN)
    const disconnects = () => linesWith('client disconnected').length
    const logged = disconnects()
    const socket = send(2)
    await until('both wait', () => queue.count().waiting === 2)
    socket.destroy()
    await until('they have left the queue', () => queue.count().waiting === 0)
    begun.clear()
    release()
    await until('the queue is empty', () => queue.count().running === 0)
    assert.equal(begun.size, 0)
    assert.equal(disconnects(), logged + 2)
    assert.equal(await metrics(waits), before)
    assert.equal(await metrics(refusals), 0)
  })

  it('refuses requests of the team that waits most with 429 before they begin, and logs one in a second', async () => {
    const known = await knownPerson()
    const release = fill(queue, known.team)
    begun.clear()
    const replies = [await getAgent(running, known, id), await getAgent(running, known, id)]
    release()
    for (const { status, body, headers } of replies) {
      assert.equal(status, 429)
      assert.equal((body as { code?: string }).code, 'too_many_requests')
      assert.equal(headers.get('retry-after'), '1')
      assert.ok(headers.get('x-request-id'))
    }
    assert.equal(begun.size, 0)
    assert.equal(await metrics(/console_refusals_total\{lane="intake",cause="own_share"\}/), 2)
    const route = `${COLLECTION}/:id`
    assert.equal(
      await metrics(
        new RegExp(
          `console_http_request_duration_seconds_count\\{method="GET",route="${route}",status="429"\\}`,
        ),
      ),
      2,
    )
    const [, line, ...others] = linesWith(known.user)
    const { status, team_id, request_id } = line
    assert.deepEqual(
      { status, team_id, request_id },
      { status: 429, team_id: known.team, request_id: replies[0]?.headers.get('x-request-id') },
    )
    assert.deepEqual(others, [])
  })

  it('refuses callers that it does not know with 503, and no health check', async () => {
    const release = fill(queue, UNVERIFIED)
    const reply = await running.request('GET', '/v1/me', { token: 'unknown' })
    const health = await running.request('GET', '/health/live')
    release()
    assert.equal(reply.status, 503)
    assert.equal((reply.body as { code?: string }).code, 'overloaded')
    assert.equal(health.status, 200)
  })
})
