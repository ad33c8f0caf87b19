import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  ApiError,
  ConnectionFailed,
  Console,
  ConsoleError,
  type LogEntry,
  NotFound,
  Stale,
  TimedOut,
  Unavailable,
  ValidationFailed,
} from '../src/index.ts'
import { delayMs } from '../src/retry.ts'
import { sendJson, useScriptedServer } from './support/scripted-server.ts'

const ME = { user_id: 'u', team_id: 't', name: null, permissions: [], client_id: null, expires_at: 1 }
const problem = (code: string) => ({ detail: 'A sentence.', code })

describe('the retries of the SDK', () => {
  it('sends the same request id with each try, and logs it', async () => {
    const server = await useScriptedServer((response, _, index) => {
      if (index > 0) sendJson(response, 200, ME)
      else sendJson(response, 503, problem('overloaded'), { 'retry-after': '0' })
    })
    const log: LogEntry[] = []
    const client = new Console({ baseUrl: server.url, token: 'secret', logger: (entry) => log.push(entry) })
    assert.deepEqual(await client.me(), ME)
    const [first, second] = server.requests.map(({ headers }) => headers['x-request-id'])
    assert.equal(first, second)
    // Short, and always of one length: people copy it from an error into a search of the log.
    assert.match(String(first), /^\d{40}$/)
    assert.deepEqual(
      log.map(({ attempt, status, error }) => [attempt, status, error]),
      [
        [0, 503, 'Unavailable'],
        [1, 200, undefined],
      ],
    )
  })

  it('waits as long as retry-after says, and otherwise a random time that grows', async () => {
    const server = await useScriptedServer((response) =>
      sendJson(response, 503, problem('overloaded'), { 'retry-after': '7' }),
    )
    const error = await rejection(new Console({ baseUrl: server.url, token: 't', maxRetries: 0 }).me())
    assert.ok(error instanceof Unavailable)
    assert.equal(delayMs(error, 0, 250), 7_000)
    const lost = new ConnectionFailed('lost')
    const longest = (attempt: number) =>
      Math.max(...Array.from({ length: 1_000 }, () => delayMs(lost, attempt, 250)))
    for (const [attempt, limit] of [250, 500, 1_000].entries()) {
      assert.ok(longest(attempt) <= limit && longest(attempt) > limit * 0.9)
    }
    assert.ok(longest(100) <= 8_000)
  })

  it('reports a retry-after that is too long instead of waiting', async () => {
    const server = await useScriptedServer((response) =>
      sendJson(response, 429, problem('too_many_requests'), { 'retry-after': '3600' }),
    )
    const error = await rejection(new Console({ baseUrl: server.url, token: 'secret' }).me())
    assert.ok(error instanceof Unavailable)
    assert.equal(error.retryAfterMs, 3_600_000)
    assert.equal(server.requests.length, 1)
  })

  it('does not repeat what only an operator can fix', async () => {
    const server = await useScriptedServer((response) =>
      sendJson(response, 503, problem('upstream_not_configured')),
    )
    await assert.rejects(new Console({ baseUrl: server.url, token: 'secret' }).me(), Unavailable)
    assert.equal(server.requests.length, 1)
  })

  it('gives up after maxRetries', async () => {
    const server = await useScriptedServer((response) => response.destroy())
    const client = new Console({ baseUrl: server.url, token: 'secret', retryDelayMs: 0, maxRetries: 3 })
    await assert.rejects(client.me(), ConnectionFailed)
    assert.equal(server.requests.length, 4)
    await assert.rejects(client.me({ maxRetries: 0 }), ConnectionFailed)
    assert.equal(server.requests.length, 5)
  })

  it('repeats no change without If-Match or Idempotency-Key', async () => {
    const server = await useScriptedServer((response) => response.destroy())
    const client = new Console({ baseUrl: server.url, token: 'secret', retryDelayMs: 0 })
    const id = '01940b5e-7f4c-7a3b-9c1d-2e3f4a5b6c7d'
    await assert.rejects(client.agents.update(id, { hub: 'h' }), ConnectionFailed)
    await assert.rejects(client.agents.delete(id), ConnectionFailed)
    await assert.rejects(client.agents.moveStage(id, 'tested'), ConnectionFailed)
    await assert.rejects(client.evolution.seed({}), ConnectionFailed)
    const anyRevision = { path: { id }, headers: { 'if-match': '*' }, body: {} }
    await assert.rejects(
      client.request('PUT', '/v1/agent-configurations/{id}', anyRevision),
      ConnectionFailed,
    )
    assert.equal(server.requests.length, 5)
  })

  it('sends one Idempotency-Key for all tries of a creation, and another for the next', async () => {
    const server = await useScriptedServer((response, _, index) => {
      if (index % 2 === 0) response.destroy()
      else sendJson(response, 201, {}, { etag: '"1"' })
    })
    const client = new Console({ baseUrl: server.url, token: 'secret', retryDelayMs: 0 })
    await client.agents.create({ agent_name: 'a', model_name: 'm' })
    await client.agents.create({ agent_name: 'a', model_name: 'm' })
    const keys = server.requests.map(({ headers }) => headers['idempotency-key'])
    assert.equal(new Set(keys).size, 2)
    assert.equal(keys[0], keys[1])
    assert.equal(keys[2], keys[3])
  })

  it('limits each try, from the request to the end of the response', async () => {
    const server = await useScriptedServer((response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{')
    })
    const errors: (string | undefined)[] = []
    const logger = ({ error }: LogEntry) => void errors.push(error)
    const options = { baseUrl: server.url, token: 'secret', retryDelayMs: 0, timeoutMs: 100, logger }
    await assert.rejects(new Console(options).me(), TimedOut)
    assert.deepEqual(errors, ['TimedOut', 'TimedOut', 'TimedOut'])
  })

  const made = { action: 'updated', changed_by: 'u', fields: ['hub'], reason: 'why', redacted: [] }
  for (const [what, difference, hub, more] of [
    ['its own change', {}, 'h'],
    ['a change of another user', { changed_by: 'another' }, 'h'],
    ['another value', {}, 'other'],
    ['another field', { fields: ['hub', 'purpose'] }, 'h'],
    ['another reason', { reason: null }, 'h'],
    ['another action', { action: 'restored' }, 'h'],
    ['a part of its change', { fields: ['hub'] }, 'h', { purpose: 'p' }],
    ['a change of another short secret', { fields: ['api_key', 'hub'] }, 'h', { api_key: 'short' }],
    ['a secret in place of its removal', { fields: ['api_key', 'hub'] }, 'h', { api_key: null }],
    // A whole agent was put back: the console ignores what an update cannot change.
    ['its own change', {}, 'h', { updated_at: 1, protocol: 'a2a' }],
  ] as const) {
    const isOwn = what === 'its own change'
    it(`${isOwn ? 'recognises' : 'is not deceived by'} ${what} after a lost response`, async () => {
      const revision = { revision: 8, ...made, ...difference }
      const agent = { hub, purpose: null, api_key: '********', updated_at: 2, protocol: 'a2a' }
      const server = await useScriptedServer((response, { method, url }, index) => {
        if (index === 0) response.destroy()
        else if (method === 'PUT') sendJson(response, 412, problem('revision_stale'))
        else if (url?.endsWith('/me')) sendJson(response, 200, ME)
        else if (url?.endsWith('/8')) sendJson(response, 200, agent, { etag: '"8"' })
        else sendJson(response, 200, { results: [revision], next_cursor: null })
      })
      const client = new Console({ baseUrl: server.url, token: 'secret', retryDelayMs: 0 })
      const id = '01940b5e-7f4c-7a3b-9c1d-2e3f4a5b6c7d'
      const updating = client.agents.update(id, { hub: 'h', ...more }, { ifRevision: 7, reason: 'why' })
      if (isOwn) assert.equal((await updating).revision, 8)
      else await assert.rejects(updating, Stale)
    })
  }

  const VALUE = 'a-secret-of-the-crm-1234'
  for (const [what, mask, revision, isOwn] of [
    ['recognises its own secret', '********1234', 8, true],
    ['is not deceived by another value of the secret', '********5678', 8, false],
    ['is not deceived by a later secret', '********1234', 9, false],
    ['is not deceived by a secret that is gone', undefined, 8, false],
  ] as const)
    it(`${what} after a lost response`, async () => {
      const made = {
        revision: 8,
        action: 'updated',
        changed_by: 'u',
        fields: ['secrets.crm'],
        reason: null,
        redacted: [],
      }
      const secrets = mask === undefined ? [] : [{ name: 'crm', mask, revision }]
      const server = await useScriptedServer((response, { method, url }, index) => {
        if (index === 0) response.destroy()
        else if (method !== 'GET') sendJson(response, 412, problem('revision_stale'))
        else if (url?.endsWith('/me')) sendJson(response, 200, ME)
        else if (url?.endsWith('/8')) sendJson(response, 200, {}, { etag: '"8"' })
        else if (url?.endsWith('/secret-names')) sendJson(response, 200, { results: secrets })
        else sendJson(response, 200, { results: [made], next_cursor: null })
      })
      const { agents } = new Console({ baseUrl: server.url, token: 'secret', retryDelayMs: 0 })
      const id = '01940b5e-7f4c-7a3b-9c1d-2e3f4a5b6c7d'
      const putting = agents.updateSecret(id, 'crm', VALUE, { ifRevision: 7 })
      if (isOwn) assert.equal((await putting).revision, 8)
      else await assert.rejects(putting, Stale)
    })

  it('tries again when there is no token yet, and does not take that for a lost response', async () => {
    const server = await useScriptedServer((response) => sendJson(response, 404, problem('agent_not_found')))
    let asked = 0
    const token = () => {
      if (asked++ === 0) throw new ConnectionFailed('The issuer does not respond')
      return 'secret'
    }
    const { agents } = new Console({ baseUrl: server.url, token, retryDelayMs: 0 })
    const id = '01940b5e-7f4c-7a3b-9c1d-2e3f4a5b6c7d'
    await assert.rejects(agents.delete(id, { ifRevision: 1 }), NotFound)
    assert.deepEqual([asked, server.requests.length], [2, 1])
  })

  it('does not take a deletion by another for an erasure', async () => {
    const server = await useScriptedServer((response, _, index) => {
      if (index === 0) response.destroy()
      else sendJson(response, 404, problem('agent_not_found'))
    })
    const { agents } = new Console({ baseUrl: server.url, token: 'secret', retryDelayMs: 0 })
    const id = '01940b5e-7f4c-7a3b-9c1d-2e3f4a5b6c7d'
    await assert.rejects(agents.delete(id, { ifRevision: 1, erase: true }), NotFound)
  })
})

describe('the errors of the SDK', () => {
  it('have the code, the request id and the faults of the response', async () => {
    const fault = { loc: ['body', 'agent_name'], msg: 'Field required', type: 'missing' }
    const server = await useScriptedServer((response) =>
      sendJson(response, 422, { detail: [fault] }, { 'x-request-id': 'r-1' }),
    )
    const error = await rejection(new Console({ baseUrl: server.url, token: 'secret' }).me())
    assert.ok(error instanceof ValidationFailed && error instanceof ApiError && error instanceof ConsoleError)
    assert.deepEqual(error.faults, [fault])
    assert.equal(error.requestId, 'r-1')
    assert.equal(error.message, 'GET /v1/me: 422 body.agent_name: Field required')
    assert.equal(error.code, undefined)
  })

  it('accept the page of a proxy', async () => {
    const server = await useScriptedServer((response) => void response.writeHead(418).end('<html>'))
    const error = await rejection(new Console({ baseUrl: server.url, token: 'secret' }).me())
    assert.ok(error instanceof ApiError)
    assert.equal(error.status, 418)
    assert.equal(error.body, '<html>')
  })

  it('do not send a token to another address', async () => {
    const other = await useScriptedServer((response) => sendJson(response, 200, ME))
    const server = await useScriptedServer((response) => {
      response.writeHead(307, { location: `${other.url}/v1/me` }).end()
    })
    const client = new Console({ baseUrl: server.url, token: 'secret', maxRetries: 0 })
    await assert.rejects(client.me(), ConnectionFailed)
    assert.equal(other.requests.length, 0)
  })

  it('refuse an unusable address, path or token before the request', async () => {
    assert.throws(() => new Console({ baseUrl: 'console', token: 't' }), ConsoleError)
    const { message } = (await rejection(
      (async () => new Console({ baseUrl: 'https://ada:pass@example.com', token: 't' }))(),
    )) as ConsoleError
    assert.ok(!message.includes('pass@'))
    const client = new Console({ baseUrl: 'http://127.0.0.1:9', token: 'a\nb' })
    await assert.rejects(client.me(), /not a bearer token/)
    const other = new Console({ baseUrl: 'http://127.0.0.1:9', token: 't' })
    for (const id of ['', '.', '..']) await assert.rejects(other.agents.delete(id), /The path has no id/)
  })

  it('pass on the failure of the token function', async () => {
    const failure = new Error('signed out')
    const client = new Console({ baseUrl: 'http://127.0.0.1:9', token: () => Promise.reject(failure) })
    assert.equal(await rejection(client.me()), failure)
  })
})

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.fail('It did not reject'),
    (error: unknown) => error,
  )
}
