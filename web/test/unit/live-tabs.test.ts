import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, afterEach, before, describe, it } from 'node:test'
import { until } from '../../../test/support/until.ts'
import { connect } from '../../src/api/client.ts'
import { type Session, SessionEnded } from '../../src/auth/session.ts'
import { currentLive, type Live, onMissedChanges, setLive } from '../../src/live/state.ts'
import { pauseLive, reconnect, rejoin, resumeLive, startLive } from '../../src/live/tabs.ts'

const WITHIN_MS = 10_000
const Channel = globalThis.BroadcastChannel
const channels: BroadcastChannel[] = []

/** A channel is open as long as its tab. Here the tests close it. */
class TestChannel extends Channel {
  constructor(name: string) {
    super(name)
    channels.push(this)
  }
}

describe('live changes', () => {
  /** Whether the server has no stream to give. */
  let isDown = false
  let refused = 0
  /** Where each stream began. */
  let positions: unknown[] = []
  let streams: ServerResponse[] = []
  /** How many of the next requests for a token find that the sign-in has ended. */
  let ended = 0
  let missed = 0

  const server = createServer((request, response) => {
    if (isDown) {
      refused++
      response.writeHead(503, { 'retry-after': '0' }).end()
      return
    }
    positions.push(request.headers['last-event-id'])
    streams.push(response)
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': watching\nid: p1\n\n')
  })
  const openTab = () => startLive({ user_id: 'user', team_id: 'team' })
  const is = (state: Live['state']) => until(state, () => currentLive().state === state, WITHIN_MS)
  const interrupt = () => {
    for (const stream of streams) stream.destroy()
  }

  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    Object.assign(globalThis, { location: { origin }, BroadcastChannel: TestChannel })
    const token = async () => {
      if (ended-- > 0) throw new SessionEnded()
      return 'token'
    }
    connect({ token } as Session)
    onMissedChanges(() => missed++)
  })

  afterEach(async () => {
    ended = Number.POSITIVE_INFINITY
    const hasEnded = async () => {
      interrupt()
      const { held, pending } = await navigator.locks.query()
      return held?.length === 0 && pending?.length === 0
    }
    await until('every tab has given up', hasEnded, WITHIN_MS)
    for (const channel of channels.splice(0)) channel.close()
    isDown = false
    refused = ended = missed = 0
    positions = []
    streams = []
    setLive({ state: 'connecting' })
  })

  after(() => {
    server.close()
    server.closeAllConnections()
    Object.assign(globalThis, { BroadcastChannel: Channel })
    Reflect.deleteProperty(globalThis, 'location')
  })

  it('are all read again when a later stream begins without a position, not when one is continued', async () => {
    openTab()
    await is('live')
    interrupt()
    await until('a second stream', () => positions.length === 2, WITHIN_MS)
    await is('live')
    assert.deepEqual([positions, missed], [[undefined, 'p1'], 0])
    reconnect()
    await until('all is read again', () => missed === 1, WITHIN_MS)
    assert.deepEqual(positions, [undefined, 'p1', undefined])
  })

  it('are all read again when the first stream begins late', async () => {
    isDown = true
    openTab()
    await is('down')
    isDown = false
    await is('live')
    assert.equal(missed, 1)
  })

  it('are shown as not live after a pause during which the stream was interrupted', async () => {
    openTab()
    await is('live')
    pauseLive()
    isDown = true
    interrupt()
    await until('the interruption is known', () => refused > 0, WITHIN_MS)
    assert.equal(currentLive().state, 'paused')
    resumeLive()
    assert.equal(currentLive().state, 'down')
    isDown = false
    await is('live')
  })

  it('come from another tab when the sign-in of the leading one has ended', async () => {
    openTab()
    await is('live')
    openTab()
    ended = 1
    interrupt()
    await until('a second stream', () => positions.length === 2, WITHIN_MS)
    await is('live')
  })

  it('come again when the sign-in of the only tab is renewed after all', async () => {
    ended = 1
    openTab()
    await is('down')
    rejoin()
    await is('live')
    rejoin()
    assert.deepEqual(positions, [undefined])
  })

  it('are asked for again by the user after the sign-in of the only tab had ended', async () => {
    ended = 1
    openTab()
    await is('down')
    reconnect()
    await is('live')
  })
})
