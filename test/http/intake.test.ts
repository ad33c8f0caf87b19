import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'
import { describe, it } from 'node:test'
import type { QueueEntry } from '../../src/platform/fairness/fair-queue.ts'
import { createAgent, getAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'
import { until } from '../support/until.ts'

const PER_TURN = 8
const FLOOD = 10 * PER_TURN

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

  /** Lets a team hold all places and, if it is to fill the queue, wait in it. */
  const hold = (team: string, { fills = false } = {}) => {
    const entries: QueueEntry[] = []
    let isFull = false
    while (entries.length < PER_TURN || (fills && !isFull)) {
      const entry = { team, onPlace: () => {}, onRefusal: () => (isFull = true) }
      queue.enter(entry)
      entries.push(entry)
    }
    return () => {
      for (const entry of entries) queue.cancel(entry)
      for (const entry of entries) queue.release(entry)
    }
  }

  /** A person whose team is known from an earlier request. */
  const knownPerson = async () => {
    const known = await running.person()
    assert.equal((await getAgent(running, known, id)).status, 404)
    return known
  }

  /** Sends requests of the person at once, on one connection. */
  const send = (count: number) => {
    const { hostname, port } = new URL(running.url)
    const socket = connect(Number(port), hostname)
    socket.write(
      `GET /v1/me HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${person.token}\r\n\r\n`.repeat(count),
    )
    return socket
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
    const release = hold(randomUUID())
    const reply = getAgent(running, person, id)
    await until('it waits', () => queue.count().waiting === 1)
    const since = performance.now()
    await until('20 ms have passed', () => performance.now() - since >= 20)
    const logged = running.logLines.length
    release()
    assert.equal((await reply).status, 200)
    await until('it is in the access log', () => running.logLines.length > logged)
    const { duration_ms: tookMs } = JSON.parse(running.logLines.at(-1) as string) as { duration_ms: number }
    assert.ok(tookMs >= 20, `${tookMs} ms in the access log`)
  })

  it('gives a request its turn before the others of a team that floods it', async () => {
    const other = await knownPerson()
    const release = hold(person.team)
    const order: string[] = []
    for (let n = 0; n < FLOOD; n++) {
      const entry: QueueEntry = {
        team: person.team,
        onPlace: () => {
          order.push('flood')
          setImmediate(queue.release, entry)
        },
        onRefusal: () => assert.fail('it waits'),
      }
      queue.enter(entry)
    }
    const reply = getAgent(running, other, id)
    await until('it waits', () => queue.count().waiting === FLOOD + 1)
    onBegin = () => order.push('other')
    release()
    await reply
    await until('all have begun', () => order.length === FLOOD + 1)
    assert.ok(order.indexOf('other') < PER_TURN, order.join(' '))
  })

  it('begins no request of a client that has disconnected', async () => {
    const release = hold(randomUUID())
    const isClosed = new Promise((resolve) => {
      running.app.server.once('connection', (connection) => connection.once('close', resolve))
    })
    const socket = send(1)
    await until('it waits', () => queue.count().waiting === 1)
    socket.destroy()
    await isClosed
    begun.clear()
    release()
    await until('the queue is empty', () => queue.count().running + queue.count().waiting === 0)
    assert.equal(begun.size, 0)
  })

  it('refuses a request whose team waits most with 429, before it begins', async () => {
    const known = await knownPerson()
    const release = hold(known.team, { fills: true })
    begun.clear()
    const reply = await getAgent(running, known, id)
    release()
    assert.equal(reply.status, 429)
    assert.equal((reply.body as { code?: string }).code, 'too_many_requests')
    assert.equal(reply.headers.get('retry-after'), '1')
    assert.ok(reply.headers.get('x-request-id'))
    assert.equal(begun.size, 0)
    const text = await running.deps.metrics.registry.metrics()
    assert.match(text, /console_refusals_total\{lane="intake",cause="own_share"\} 1/)
  })

  it('refuses callers that it does not know with 503, and no health check', async () => {
    const release = hold('', { fills: true })
    const reply = await running.request('GET', '/v1/me', { token: 'unknown' })
    const health = await running.request('GET', '/health/live')
    release()
    assert.equal(reply.status, 503)
    assert.equal((reply.body as { code?: string }).code, 'overloaded')
    assert.equal(health.status, 200)
  })
})
