import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { afterEach, describe, it } from 'node:test'
import type { Person } from '../support/console.ts'
import { until } from '../support/until.ts'
import type { Behind } from './behind.ts'
import { operation, useMounted } from './mounted.ts'

const SLOTS = 8
/** A request is sent when so much of its body has arrived. */
const READY_BYTES = 64 * 1024

describe('the slots of a mounted service', async () => {
  const mounted = await useMounted({
    deadlineMs: 10_000,
    maxInFlight: SLOTS,
    operations: [operation(), operation({ method: 'POST' })],
    environment: { MAX_RECEIVED_BYTES: String(32 * READY_BYTES) },
  })
  const behind = mounted.behind['things'] as Behind
  const [greedy, other] = [await mounted.running.person(), await mounted.running.person()] as [Person, Person]
  const open = new Set<ClientRequest>()

  /** Sends the begin of a body, and then a piece now and then. */
  const upload = (
    { token }: Person,
    begin: number,
    sendPiece: (sent: ClientRequest) => void,
    headers: OutgoingHttpHeaders = {},
  ) => {
    const sent = request(`${mounted.running.url}/v1/things/7`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, ...headers },
    })
    open.add(sent.on('error', () => {}))
    sent.write(Buffer.alloc(begin))
    const timer = setInterval(sendPiece, 50, sent)
    sent.on('close', () => clearInterval(timer))
    return sent
  }
  const drip = (person: Person, begin: number) =>
    upload(person, begin, (sent) => void sent.write('x'), { 'content-length': 1024 * 1024 })
  const get = ({ token }: Person) => mounted.running.request('GET', '/v1/things/7', { token })
  const post = ({ token }: Person, raw: string) =>
    mounted.running.request('POST', '/v1/things/7', { token, raw })
  const metrics = () => mounted.running.deps.metrics.registry.metrics()
  const uploads = () => behind.asked.filter(({ line }) => line.startsWith('POST')).length

  afterEach(async () => {
    for (const sent of open) sent.destroy()
    open.clear()
    await until('all calls have ended', async () => /in_flight\{upstream="things"\} 0/.test(await metrics()))
    behind.asked.length = 0
    behind.behave((incoming, response) => incoming.resume().on('end', () => response.end('{}')))
  })

  it('are not taken by uploads of which hardly anything has arrived', async () => {
    const dripping = Array.from({ length: 3 * SLOTS }, () => drip(greedy, 1))
    await Promise.all(dripping.map((sent) => once(sent, 'socket')))
    for (let call = 0; call < 10; call++) assert.equal((await get(other)).status, 200)
    // The same team is not held up either.
    assert.equal((await get(greedy)).status, 200)
    assert.equal(uploads(), 0)
  })

  it('are taken from uploads that hardly move when another team waits', async () => {
    const dripping = Array.from({ length: SLOTS }, () => drip(greedy, READY_BYTES))
    const responses: IncomingMessage[] = []
    for (const sent of dripping) sent.on('response', (response) => responses.push(response.resume()))
    await until('they have all slots', () => uploads() === SLOTS)
    const replies = await Promise.all([get(other), get(other), get(other)])
    for (const { status } of replies) assert.equal(status, 200)
    await until('one was cut off', () => responses.length > 0)
    for (const { statusCode } of responses) assert.equal(statusCode, 408)
    assert.ok(responses.length <= 3, 'no more than needed')
  })

  it('go to the teams in turn', async () => {
    const held: (() => void)[] = []
    const order: string[] = []
    behind.behave(({ headers }, response) => {
      order.push(headers.authorization === `Bearer ${greedy.token}` ? 'greedy' : 'other')
      held.push(() => response.end('{}'))
    })
    const flood = Array.from({ length: 5 * SLOTS }, () => get(greedy))
    await until('all slots are taken', () => held.length === SLOTS)
    const replies = [get(other), get(other)]
    await until('all calls are here', async () => /in_flight\{upstream="things"\} 42/.test(await metrics()))
    behind.behave(({ headers }, response) => {
      order.push(headers.authorization === `Bearer ${greedy.token}` ? 'greedy' : 'other')
      response.end('{}')
    })
    for (const end of held) end()
    for (const { status } of await Promise.all([...flood, ...replies])) assert.equal(status, 200)
    const places = order.flatMap((team, place) => (team === 'other' ? [place - SLOTS] : []))
    // They were the last to ask. The service sees calls that are sent at the same time in any order.
    assert.ok(Math.max(...places) < 2 * SLOTS, `the two others came after ${places.join()}`)
  })

  it('leave the memory for bodies that wait for them to all teams', async () => {
    behind.behave(() => {})
    const hanging = Array.from({ length: SLOTS }, () => get(greedy).catch(() => {}))
    await until('all slots are taken', () => behind.asked.length === SLOTS)
    const statuses: number[] = []
    const body = 'x'.repeat(READY_BYTES)
    const waiting = Array.from({ length: 32 }, () =>
      post(greedy, body).then(
        ({ status }) => statuses.push(status),
        () => {},
      ),
    )
    await until('some are refused', () => statuses.length >= 16)
    assert.deepEqual([...new Set(statuses)], [429])
    const fromOther = post(other, body)
    behind.behave((incoming, response) => incoming.resume().on('end', () => response.end('{}')))
    await mounted.behind['things']?.stop()
    await mounted.behind['things']?.resume()
    assert.notEqual((await fromOther).status, 429)
    await Promise.all([...hanging, ...waiting])
  })

  it('are left to uploads that move, until another team has waited for half of its time', async () => {
    const CHUNK = Buffer.alloc(READY_BYTES / 4)
    const statuses: (number | undefined)[] = []
    let chunks = 0
    const uploading = Array.from({ length: SLOTS }, () =>
      upload(greedy, READY_BYTES, (sent) => {
        sent.write(CHUNK)
        chunks += 1
      }),
    )
    for (const sent of uploading)
      sent.on('response', (response) => statuses.push(response.resume().statusCode))
    await until('they have all slots', () => uploads() === SLOTS)
    const waiting = get(other)
    chunks = 0
    // Twice as long as a stall.
    await until('they have moved for two seconds', () => chunks >= 40 * SLOTS)
    assert.equal(statuses.length, 0)
    assert.equal((await waiting).status, 200)
    for (const one of uploading) one.end()
    await until('all uploads have ended', () => statuses.length === SLOTS)
    assert.equal(statuses.filter((status) => status === 200).length, SLOTS - 1)
    assert.ok(statuses.includes(408))
  })
})
