import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  Console,
  Forbidden,
  PositionExpired,
  TimedOut,
  Unauthenticated,
  type WatchState,
} from '../src/index.ts'
import { sendJson, useScriptedServer } from './support/scripted-server.ts'

const frame = (position: string, event: string) => `id: ${position}\ndata: {"id":"${event}"}\n\n`
const open = { 'content-type': 'text/event-stream' }

describe('a watch', () => {
  it('resumes after the last position, with a fresh token, and drops what it has seen', async () => {
    const parts = [
      [`: watching\nid: 1-1-0\n\n`],
      [frame('1-1-1', 'a:1'), 'id: 1-1-2\ndata: {"id":"cut'],
      [frame('1-1-1', 'a:1'), frame('1-1-2', 'a:2').replaceAll('\n', '\r\n')],
      // A heartbeat of a stream without matching events moves the position.
      [': heartbeat\nid: 1-1-9\n\n'],
      [frame('1-1-10', 'b:1')],
    ]
    const server = await useScriptedServer((response, _, index) => {
      response.writeHead(200, open)
      // Each byte alone: a character of several bytes and a line may arrive in parts.
      for (const byte of Buffer.from((parts[index] ?? []).join(''))) response.write(Buffer.of(byte))
      if (index < parts.length - 1) response.end()
    })
    let tokens = 0
    const client = new Console({ baseUrl: server.url, token: () => `token-${tokens++}`, retryDelayMs: 0 })
    const seen: string[] = []
    for await (const { id, data } of client.agents.watch({ agentIds: ['x', 'y'] })) {
      seen.push(`${id} ${data.id}`)
      if (data.id === 'b:1') break
    }
    assert.deepEqual(seen, ['1-1-1 a:1', '1-1-2 a:2', '1-1-10 b:1'])
    assert.deepEqual(
      server.requests.map(({ headers }) => headers['last-event-id']),
      [undefined, '1-1-0', '1-1-1', '1-1-2', '1-1-9'],
    )
    assert.deepEqual(
      server.requests.map(({ headers }) => headers.authorization),
      ['Bearer token-0', 'Bearer token-1', 'Bearer token-2', 'Bearer token-3', 'Bearer token-4'],
    )
    assert.match(server.requests[0]?.url ?? '', /\?agent_ids=x&agent_ids=y$/)
  })

  it('takes a silent connection for a lost one, and reports its state', async () => {
    const server = await useScriptedServer((response, _, index) => {
      response.writeHead(200, open)
      if (index === 0) response.write(': hello\n\n')
      else response.write(frame('1-1-1', 'a:1'))
    })
    const client = new Console({ baseUrl: server.url, token: 'secret', retryDelayMs: 0 })
    const states: WatchState[] = []
    const onState = (state: WatchState) => void states.push(state)
    for await (const _ of client.agents.watch({ silenceMs: 50, onState })) break
    assert.equal(states[0]?.connected, true)
    assert.equal(states.at(-1)?.connected, true)
    assert.ok(states[1]?.connected === false && states[1].error instanceof TimedOut)
  })

  for (const [status, code, type] of [
    [401, 'invalid_token', Unauthenticated],
    [403, 'permission_missing', Forbidden],
    [410, 'position_expired', PositionExpired],
  ] as const) {
    it(`raises ${type.name} at once`, async () => {
      const server = await useScriptedServer((response) => sendJson(response, status, { detail: 'x', code }))
      const client = new Console({ baseUrl: server.url, token: 'secret' })
      await assert.rejects(Array.fromAsync(client.agents.watch({ lastEventId: '1-1-1' })), type)
      assert.equal(server.requests.length, 1)
    })
  }
})
