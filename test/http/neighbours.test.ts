import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { describe, it } from 'node:test'
import { COLLECTION, createAgent } from '../support/agents.ts'
import { type Reply, useConsole } from '../support/console.ts'
import { resolveResponses } from '../support/declared-responses.ts'
import { until } from '../support/until.ts'
import { addProbes } from './probe.ts'
import { exchange, readAnswers } from './raw-http.ts'

const MIB = 1024 * 1024
const NO_OBJECT = {
  loc: ['body'],
  msg: 'Input should be a valid dictionary or object to extract fields from',
  type: 'model_attributes_type',
}
const NOT_JSON = {
  ...NO_OBJECT,
  msg: `${NO_OBJECT.msg}. The Content-Type of the body is not JSON: send the header Content-Type: application/json`,
}
const MISSING = { loc: ['body'], msg: 'Field required', type: 'missing' }

interface Declared405 {
  headers: { allow: { schema: { examples: string[] } } }
}

const deep = (levels: number) => `{"agent_params":{"😀":${'['.repeat(levels - 2)}${']'.repeat(levels - 2)}}}`

describe('what is next to a 422', async () => {
  const running = await useConsole({ extend: addProbes })
  const person = await running.person()
  const path = `${COLLECTION}/${(await createAgent(running, person)).id}`

  const put = (raw: string | Buffer, contentType?: string): Promise<Reply> =>
    running.request('PUT', path, {
      token: person.token,
      raw,
      ...(contentType === undefined ? {} : { headers: { 'content-type': contentType } }),
    })
  /** A request written by hand, which asks for its connection to be closed. */
  const send = async (method: string, target: string, lines: string[] = [], body = '') => {
    const all = [`${method} ${target} HTTP/1.1`, ...lines, 'connection: close', '', body]
    return readAnswers(await exchange(running.url, all.join('\r\n')), method)
  }

  it('is a 404 for a path that no route has, before any body is read', async () => {
    for (const unknown of [
      '/x',
      '/v1',
      `${path}/x`,
      '//health/live',
      '/V1/agent-configurations',
      '/health',
    ]) {
      const reply = await running.request('POST', unknown, { raw: '{"broken' })
      assert.equal(reply.status, 404, unknown)
      assert.deepEqual(reply.body, { detail: 'Not Found', code: 'not_found' })
    }
  })

  it('is a 405 with Allow for every other method HTTP has, with or without a token', async () => {
    const allow = new Map([
      [path, 'GET, HEAD, PUT, DELETE'],
      ['/health/live', 'GET, HEAD'],
      ['/', 'GET, HEAD'],
    ])
    for (const [target, allowed] of allow) {
      for (const method of METHODS) {
        if (method === 'CONNECT' || allowed.split(', ').includes(method)) continue
        const [answer] = await send(method, target, ['host: a'])
        assert.equal(answer?.status, 405, `${method} ${target}`)
        assert.equal(answer.headers.get('allow'), allowed)
        assert.deepEqual(JSON.parse(answer.body), {
          detail: 'Method Not Allowed',
          code: 'method_not_allowed',
        })
      }
    }
  })

  it('is a 405 with the Allow that the document shows for the path', async () => {
    const { body } = await running.request('GET', '/openapi.json')
    const document = resolveResponses(body)
    const paths = Object.entries<Record<string, { responses: Record<string, Declared405> }>>(
      document.paths,
    ).filter(([template]) => template.startsWith('/v1/'))
    assert.ok(paths.length >= 13)
    for (const [template, operations] of paths) {
      const reply = await running.request('PATCH', template.replaceAll(/[{}]/g, ''))
      assert.equal(reply.status, 405, template)
      for (const { responses } of Object.values(operations)) {
        assert.deepEqual(responses['405']?.headers.allow.schema.examples, [reply.headers.get('allow')])
      }
    }
  })

  it('is the same answer with a trailing slash, and no redirect', async () => {
    for (const suffix of ['', '/']) {
      assert.equal((await running.request('GET', path + suffix, { token: person.token })).status, 200)
      assert.equal((await running.request('POST', COLLECTION + suffix, { token: person.token })).status, 422)
      assert.equal((await running.request('PATCH', path + suffix)).status, 405)
    }
  })

  it('takes a body that is not JSON for one that is no object, and names the header', async () => {
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      'nonsense',
      '/',
      'x; =',
    ]
    for (const type of types) {
      assert.deepEqual((await put('{"status":"draft"}', type)).body, { detail: [NOT_JSON] }, type)
    }
    const multipart = await put('--x\r\n', 'multipart/form-data; boundary=x')
    assert.deepEqual(multipart.body, { detail: [NOT_JSON] })
    assert.deepEqual((await put('[]')).body, { detail: [NO_OBJECT] })
    // fetch and curl choose these types where the caller names none.
    for (const type of ['text/plain;charset=UTF-8', 'application/x-www-form-urlencoded']) {
      const genome = await running.request('POST', '/v1/genomes/', {
        token: person.token,
        raw: '{}',
        headers: { 'content-type': type },
      })
      assert.deepEqual(genome.body, {
        detail: [
          {
            loc: ['body'],
            msg: 'Input should be a valid dictionary. The Content-Type of the body is not JSON: send the header Content-Type: application/json',
            type: 'dict_type',
          },
        ],
      })
    }
  })

  it('takes any spelling of a JSON media type, and none at all, for JSON', async () => {
    const types = [
      'application/JSON; charset=utf-8',
      'application/merge-patch+json',
      'application/json;===',
      'application/json ;',
    ]
    for (const type of types) assert.equal((await put('{}', type)).status, 200, type)
    const headers = ['host: a', `authorization: Bearer ${person.token}`, 'content-length: 2']
    assert.equal((await send('PUT', path, headers, '{}'))[0]?.status, 200)
  })

  it('finds an empty body missing, whatever its media type', async () => {
    for (const type of ['application/json', 'text/plain']) {
      assert.deepEqual((await put('', type)).body, { detail: [MISSING] })
    }
    assert.deepEqual((await put(' null\n')).body, { detail: [MISSING] })
    assert.equal((await put('null', 'text/plain')).status, 422)
  })

  it('is a 422 for bytes that are not UTF-8', async () => {
    for (const bytes of ['ff', '22c32822', '22eda08022', '22f8888080802222', 'fffe7b007d00']) {
      const reply = await put(Buffer.from(bytes, 'hex'))
      assert.equal(reply.status, 422)
      assert.deepEqual(reply.body, {
        detail: [{ loc: ['body', 0], msg: 'JSON decode error', type: 'json_invalid' }],
      })
    }
  })

  it('is a 422 for what nests deeper than 64, at the place where it does, and not before', async () => {
    assert.equal((await put(deep(64))).status, 200)
    const reply = await put(deep(65))
    assert.deepEqual(reply.body, {
      detail: [{ loc: ['body', 21 + 62], msg: 'JSON decode error', type: 'json_invalid' }],
    })
    const ignored = await put(`{"zzz":${'['.repeat(400_000)}`)
    assert.equal(ignored.status, 422)
    const earlier = await put(`{"zzz" 1${'['.repeat(100)}`)
    assert.deepEqual((earlier.body as { detail: { loc: unknown }[] }).detail[0]?.loc, ['body', 7])
  })

  it('is a 413 for a body over 1 MiB, announced or not, and for none below', async () => {
    const body = `{"zzz":"${'x'.repeat(MIB - 10)}"}`
    assert.equal(body.length, MIB)
    assert.equal((await put(body)).status, 200)
    const reply = await put(`${body} `)
    assert.equal(reply.status, 413)
    assert.deepEqual(reply.body, {
      detail:
        'The body is larger than this operation accepts. Send a smaller one, or no body if the operation takes none.',
      code: 'body_too_large',
    })
    const chunk = `${MIB.toString(16)}\r\n${'x'.repeat(MIB)}\r\n`
    const headers = ['host: a', `authorization: Bearer ${person.token}`, 'transfer-encoding: chunked']
    const [chunked] = await send('PUT', path, headers, `${chunk}1\r\nx\r\n0\r\n\r\n`)
    assert.equal(chunked?.status, 413)
  })

  it('keeps the connection after a body that was wrong', async () => {
    const headers = ['host: a', `authorization: Bearer ${person.token}`]
    const wrong = [`PUT ${path} HTTP/1.1`, ...headers, 'content-length: 1', '', '{'].join('\r\n')
    const answers = await send(wrong + 'GET', '/health/live', ['host: a'])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [422, 200],
    )
  })

  it('answers in JSON what Node would answer with an empty body', async () => {
    const [noHost] = await send('GET', '/health/live')
    assert.equal(noHost?.status, 400)
    assert.equal(JSON.parse(noHost.body).code, 'bad_request')
    const [expectation] = await send('GET', '/health/live', ['host: a', 'expect: the-unexpected'])
    assert.equal(expectation?.status, 200)
  })

  it('takes a body that breaks off for the fault of its sender', async () => {
    running.logLines.length = 0
    const begun = [`PUT ${path} HTTP/1.1`, 'host: a', `authorization: Bearer ${person.token}`]
    const bytes = [...begun, 'content-length: 9', '', '{}'].join('\r\n')
    const [answer] = readAnswers(await exchange(running.url, bytes, { half: true }))
    assert.equal(answer?.status, 400)
    await until('the request is logged', () => running.logLines.some((line) => line.includes('"PUT"')))
    assert.ok(running.logLines.every((line) => JSON.parse(line).level !== 'error'))
  })
})
