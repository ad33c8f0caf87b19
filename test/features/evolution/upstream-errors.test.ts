import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { describe, it } from 'node:test'
import { onFreePort } from '../../../dev/free-port.ts'
import { closeAfter } from '../../support/close-after.ts'
import { useConsole } from '../../support/console.ts'
import { createDeclaration } from '../../support/declared.ts'

const OPERATIONS = [
  { method: 'GET', path: '/v1/evolution/status/{agent_id}', loc: ['path', 'agent_id'] },
  { method: 'POST', path: '/v1/genomes/', loc: ['body'] },
] as const

describe('a 4xx of the evolution service', async () => {
  let response: { status: number; body: string; headers?: Record<string, string> }
  const upstream = createServer((_request, reply) => {
    reply.writeHead(response.status, { 'content-type': 'application/json', ...response.headers })
    reply.end(response.body)
  })
  const port = await onFreePort(
    (free) =>
      new Promise<void>((resolve, reject) => {
        upstream.once('error', reject).listen(free, '127.0.0.1', resolve)
      }),
  )
  closeAfter(() => upstream.close())
  const running = await useConsole({ environment: { EVOLUTION_URL: `http://127.0.0.1:${port}` } })
  const { token } = await running.person()
  const check = createDeclaration((await running.request('GET', '/openapi.json')).body)

  /** Every response must be the one that the document declares for the operation. */
  const send = async ({ method, path }: (typeof OPERATIONS)[number]) => {
    const target = path.replace('{agent_id}', randomUUID())
    const reply = await running.request(method, target, { token, ...(method === 'POST' ? { json: {} } : {}) })
    const [type = null] = reply.headers.get('content-type')?.split(';') ?? []
    assert.deepEqual(check(method, path, { status: reply.status, type, text: reply.text }), [], reply.text)
    return reply
  }

  it('that is a 422 with an HTTPValidationError passes as its own bytes', async () => {
    for (const body of [
      '{"detail": [{"loc":["body","x",1],"msg":"m","type":"t","input":1.0}] }',
      '{"detail":[]}',
    ]) {
      response = { status: 422, body, headers: { etag: '"e"' } }
      for (const operation of OPERATIONS) {
        const reply = await send(operation)
        assert.equal(reply.status, 422)
        assert.equal(reply.text, body)
        assert.equal(reply.headers.get('etag'), '"e"')
      }
    }
  })

  it('that is any other 422 becomes an HTTPValidationError with its text', async () => {
    const long = 'x'.repeat(5_000)
    for (const [body, msg] of [
      ['{"detail": "text"}', 'text'],
      ['{"message":"m","code":7}', 'm'],
      ['{"error":"e","detail":{"a":1}}', 'e'],
      ['{"title":"Unprocessable","detail":""}', 'Unprocessable'],
      ['"just a text"', 'just a text'],
      [JSON.stringify({ detail: long }), long.slice(0, 2_000)],
      ['{"detail": [{"loc":["body"],"msg":"m"}]}', '{"detail": [{"loc":["body"],"msg":"m"}]}'],
      ['{"detail":[{"loc":[1.5],"msg":"m","type":"t"}]}', '{"detail":[{"loc":[1.5],"msg":"m","type":"t"}]}'],
      ['{"detail":["a"]}', '{"detail":["a"]}'],
      ['{}', '{}'],
      ['null', 'null'],
      ['[1]', '[1]'],
    ] as const) {
      response = { status: 422, body, headers: { etag: '"e"', 'retry-after': '7' } }
      for (const operation of OPERATIONS) {
        const reply = await send(operation)
        assert.equal(reply.status, 422)
        assert.deepEqual(reply.body, { detail: [{ loc: operation.loc, msg, type: 'upstream' }] }, body)
        assert.equal(reply.headers.get('etag'), null)
        assert.equal(reply.headers.get('retry-after'), '7')
      }
    }
  })

  it('that has another status passes as its own bytes, and the document declares it', async () => {
    for (const status of [400, 401, 403, 404, 405, 409, 413, 429, 451]) {
      for (const body of ['{"detail":"no"}', '{ "error": [1.0] }', '"no"', 'null']) {
        response = { status, body }
        for (const operation of OPERATIONS) {
          const reply = await send(operation)
          assert.deepEqual([reply.status, reply.text], [status, body])
        }
      }
    }
  })

  it('that is no JSON is a 502', async () => {
    for (const status of [404, 422]) {
      response = { status, body: 'no' }
      for (const operation of OPERATIONS) assert.equal((await send(operation)).status, 502)
    }
  })

  it('that is a 401 has a bearer challenge, and no other challenge passes', async () => {
    const [status] = OPERATIONS
    for (const [given, expected] of [
      [undefined, 'Bearer'],
      ['Bearer', 'Bearer'],
      ['Bearer realm="x", error="invalid_token"', 'Bearer realm="x", error="invalid_token"'],
      ['Basic realm="x"', 'Bearer'],
      ['Bearer realm="x", Basic realm="y"', 'Bearer'],
      ['Negotiate', 'Bearer'],
      ['Bearer resource_metadata="https://elsewhere.test/x"', 'Bearer'],
    ] as const) {
      const headers = given === undefined ? {} : { 'www-authenticate': given }
      response = { status: 401, body: '{}', headers }
      assert.equal((await send(status)).headers.get('www-authenticate'), expected)
      response = { status: 403, body: '{}', headers }
      const forbidden = expected === given ? given : null
      assert.equal((await send(status)).headers.get('www-authenticate'), forbidden)
    }
  })
})
