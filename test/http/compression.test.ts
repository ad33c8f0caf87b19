import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { COLLECTION, createAgent } from '../support/agents.ts'
import { closeAfter } from '../support/close-after.ts'
import { useConsole } from '../support/console.ts'
import { createTestNats } from '../support/nats.ts'

const DECOMPRESS = { br: brotliDecompressSync, gzip: gunzipSync }

describe('compression', async () => {
  const nats = await createTestNats()
  closeAfter(() => nats.remove())
  const running = await useConsole({ environment: nats.environment })
  const person = await running.person()
  const large = { agent_system_prompt: 'Answer questions about invoices. '.repeat(100) }
  const agent = await createAgent(running, person, { ...large, api_key: 'sk-0123456789abcdefghij' })

  /** Unlike fetch, sends no accept-encoding of its own and returns the bytes of the connection. */
  const ask = async (
    method: string,
    path: string,
    { json, ...headers }: Record<string, string> & { json?: string } = {},
  ) => {
    const sent = request(running.url + path, {
      method,
      headers: {
        authorization: `Bearer ${person.token}`,
        ...(json ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
    })
    sent.end(json)
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve).once('error', reject)
    })
    return { status: response.statusCode, headers: response.headers, response }
  }
  const read = async (...args: Parameters<typeof ask>) => {
    const { response, ...rest } = await ask(...args)
    return { ...rest, bytes: await buffer(response) }
  }
  const one = `${COLLECTION}/${agent.id}`

  for (const path of [COLLECTION, one, `${one}/revisions/1`, '/openapi.json', '/asyncapi.json', '/']) {
    for (const coding of ['br', 'gzip'] as const) {
      it(`GET ${path.replace(agent.id, '{id}')} has the same content in ${coding}`, async () => {
        const plain = await read('GET', path)
        const compressed = await read('GET', path, { 'accept-encoding': coding })
        assert.equal(plain.headers['content-encoding'], undefined)
        assert.equal(compressed.headers['content-encoding'], coding)
        assert.deepEqual(DECOMPRESS[coding](compressed.bytes), plain.bytes)
        assert.equal(Number(compressed.headers['content-length']), compressed.bytes.length)
        assert.ok(compressed.bytes.length < plain.bytes.length)
        for (const { headers } of [plain, compressed]) assert.equal(headers.vary, 'accept-encoding')
      })

      it(`HEAD ${path.replace(agent.id, '{id}')} has the headers of GET in ${coding}`, async () => {
        const [get, head] = await Promise.all(
          ['GET', 'HEAD'].map((method) =>
            read(method, path, { 'accept-encoding': coding, 'x-request-id': 'same' }),
          ),
        )
        assert.deepEqual({ ...head?.headers, date: '' }, { ...get?.headers, date: '' })
        assert.equal(head?.bytes.length, 0)
      })
    }
  }

  it('leaves a response below 1 KiB as it is', async () => {
    const { headers } = await read('GET', '/health/ready', { 'accept-encoding': 'br' })
    assert.equal(headers['content-encoding'], undefined)
    assert.equal(headers.vary, 'accept-encoding')
  })

  it('compresses a long list of validation errors', async () => {
    const query = Array.from({ length: 30 }, (_, index) => `statuses=wrong-${index}`).join('&')
    const { status, headers, bytes } = await read('GET', `${COLLECTION}?${query}`, {
      'accept-encoding': 'gzip',
    })
    assert.equal(status, 422)
    assert.equal(headers['content-encoding'], 'gzip')
    assert.ok(JSON.parse(gunzipSync(bytes).toString()))
  })

  it('does not change the ETag of an agent: If-Match and If-None-Match take it', async () => {
    const { headers } = await read('GET', one, { 'accept-encoding': 'br' })
    assert.equal(headers['content-encoding'], 'br')
    const etag = headers.etag as string
    assert.equal(etag, (await read('GET', one)).headers.etag)
    const known = await read('GET', one, { 'accept-encoding': 'br', 'if-none-match': etag })
    assert.equal(known.status, 304)
    assert.equal(known.headers['content-encoding'], undefined)
    assert.equal(known.headers.vary, 'accept-encoding')
    const json = JSON.stringify({ purpose: randomUUID() })
    assert.equal((await read('PUT', one, { 'if-match': etag, json })).status, 200)
    assert.equal((await read('PUT', one, { 'if-match': etag, json })).status, 412)
  })

  it('gives each coding of a document its own ETag', async () => {
    const tags = await Promise.all(
      ['identity', 'br', 'gzip'].map(async (coding) => {
        const { headers } = await read('GET', '/openapi.json', { 'accept-encoding': coding })
        const etag = headers.etag as string
        const again = await read('GET', '/openapi.json', { 'accept-encoding': coding, 'if-none-match': etag })
        assert.equal(again.status, 304)
        assert.equal(again.headers.etag, etag)
        return etag
      }),
    )
    assert.equal(new Set(tags).size, 3)
  })

  const writes: [name: string, method: string, path: string, body: object][] = [
    [
      'a creation',
      'POST',
      COLLECTION,
      { agent_name: 'a', model_name: 'm', api_key: 'sk-abcdefghij0123456789', ...large },
    ],
    ['an update with a secret', 'PUT', one, { api_key: 'sk-ABCDEFGHIJ0123456789', ...large }],
    [
      'an update with a token',
      'PUT',
      one,
      { white_box_config: { github_token: 'ghp-0123456789abcdefghij' }, ...large },
    ],
  ]
  for (const [name, method, path, body] of writes) {
    it(`never compresses the response to ${name}, and forbids storing it`, async () => {
      const json = JSON.stringify(body)
      const { headers, bytes } = await read(method, path, { 'accept-encoding': 'br, gzip', json })
      assert.match(bytes.toString(), /"(?:sk|ghp)-\w{20}"/)
      assert.equal(headers['content-encoding'], undefined)
      assert.equal(headers['cache-control'], 'no-store')
    })
  }

  it('never compresses the secrets of an agent', async () => {
    const json = JSON.stringify({ api_key: `sk-${'0123456789'.repeat(200)}` })
    await read('PUT', one, { json })
    const { headers, bytes } = await read('GET', `${one}/secrets`, { 'accept-encoding': 'br, gzip' })
    assert.ok(bytes.length > 1024)
    assert.equal(headers['content-encoding'], undefined)
    assert.equal(headers['cache-control'], 'no-store')
  })

  it('never compresses an event stream', async () => {
    const { response, status, headers } = await ask('GET', `${COLLECTION}/events`, {
      'accept-encoding': 'br, gzip',
    })
    response.destroy()
    assert.equal(status, 200)
    assert.equal(headers['content-encoding'], undefined)
  })

  it('never compresses a body of the evolution service', async () => {
    const status = JSON.stringify({ agent_id: agent.id, note: 'x'.repeat(5_000) })
    running.evolution.misbehave('echo')
    running.evolution.answerWith(Buffer.from(status))
    const { headers, bytes } = await read('GET', `/v1/evolution/status/${agent.id}`, {
      'accept-encoding': 'br, gzip',
    })
    assert.equal(bytes.toString(), status)
    assert.equal(headers['content-encoding'], undefined)
    assert.equal(headers.vary, undefined)
  })
})
