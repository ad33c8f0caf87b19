import * as fc from 'fast-check'
import { RevisionRedaction } from '../../src/agent/history/schema.ts'
import { AgentCreate, AgentUpdate } from '../../src/agent/schema.ts'
import { NamedSecretValue } from '../../src/agent/secrets/schema.ts'
import { AgentBulk } from '../../src/features/batch/bulk-schema.ts'
import { SavedViewContent } from '../../src/features/views/views.ts'
import type { JsonSchema } from '../../src/http/validation/check-value.ts'
import { COLLECTION } from '../support/agents.ts'
import { junk, likely } from '../support/arbitrary-body.ts'
import type { Started } from '../support/console-process.ts'
import { mcpMessage } from './fuzz-mcp.ts'
import { jsonDocument, render } from './json-documents.ts'

export interface FuzzInput {
  method: string
  bytes: Buffer
  /** `kept`: a whole request, for a connection that is kept. `own`: it may end its connection, and asks for
   * that. `half`: it lacks its end, so that our side of the connection is closed. */
  connection: 'kept' | 'own' | 'half'
}

const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']

export function fuzzInput({ token, id }: Started): fc.Arbitrary<FuzzInput> {
  const agent = `${COLLECTION}/${id}`
  const known = ['host: console', `authorization: Bearer ${token}`]
  return fc.oneof(
    { weight: 12, arbitrary: bodyInput(agent, known) },
    { weight: 3, arbitrary: pathInput(agent, known) },
    { weight: 3, arbitrary: headerInput(agent, known) },
    { weight: 2, arbitrary: framingInput(agent, known) },
    { weight: 4, arbitrary: mcpInput(id, token) },
  )
}

/** At an address where the MCP server answers. The other inputs try others. */
function mcpInput(id: string, token: string): fc.Arbitrary<FuzzInput> {
  const known = ['host: localhost', `authorization: Bearer ${token}`]
  return mcpMessage(id).map(({ lines, body }) => ({
    method: 'POST',
    bytes: request('POST', '/mcp', [...known, ...lines, `content-length: ${body.length}`], body),
    connection: 'kept',
  }))
}

function request(method: string, target: string, lines: string[], body: Buffer = Buffer.alloc(0)): Buffer {
  const head = `${[`${method} ${target} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), body])
}

const asBytes = (text: fc.Arbitrary<string>) => text.map((content) => Buffer.from(content))
const asSchema = (contract: object) => contract as JsonSchema

/** What fits, what nearly fits, what is JSON and what is not. */
function bodyOf(schema: JsonSchema): fc.Arbitrary<Buffer> {
  const fitting = likely(schema).map((value) => JSON.stringify(value))
  const document = jsonDocument.map(render)
  const inField = fc
    .tuple(fc.constantFrom(...Object.keys(schema.properties ?? {})), document)
    .map(([name, value]) => `{"agent_name":"a","model_name":"m","${name}":${value}}`)
  const damaged = fc
    .tuple(
      fc.oneof(fitting, inField),
      fc.nat(),
      fc.nat({ max: 3 }),
      fc.string({ unit: 'binary', maxLength: 3 }),
    )
    .map(([text, at, removed, put]) => {
      const start = at % (text.length + 1)
      return text.slice(0, start) + put + text.slice(start + removed)
    })
  return fc.oneof(
    { weight: 5, arbitrary: asBytes(fitting) },
    { weight: 4, arbitrary: asBytes(inField) },
    { weight: 3, arbitrary: asBytes(damaged) },
    { weight: 1, arbitrary: asBytes(document) },
    { weight: 1, arbitrary: asBytes(junk.map((value) => JSON.stringify(value))) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  )
}

const mediaType = fc.oneof(
  { weight: 8, arbitrary: fc.constant('application/json') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      'text/plain',
      'application/json;',
      'a/b;c="',
      'application/x+json',
      ';;',
      '\xff/\xff',
    ),
  },
)

function bodyInput(agent: string, known: string[]): fc.Arbitrary<FuzzInput> {
  const put = fc.record({
    method: fc.constant('PUT'),
    target: fc.constant(agent),
    body: bodyOf(asSchema(AgentUpdate)),
  })
  const post = fc.record({
    method: fc.constant('POST'),
    target: fc.constant(COLLECTION),
    body: bodyOf(asSchema(AgentCreate)),
  })
  const redact = fc.record({
    method: fc.constant('POST'),
    target: fc.constant(`${agent}/revisions/1/redact`),
    body: bodyOf(asSchema(RevisionRedaction)),
  })
  const secret = fc.record({
    method: fc.constant('PUT'),
    target: fc
      .constantFrom('crm', 'constructor', '__proto__', 'x'.repeat(65))
      .map((name) => `${agent}/secrets/${name}`),
    body: bodyOf(asSchema(NamedSecretValue)),
  })
  const view = fc.record({
    method: fc.constant('PUT'),
    target: fc
      .constantFrom('mine', 'ours?scope=team', '%2e%2e', '%00', '%F0%9F%99%82')
      .map((name) => `/v1/views/${name}`),
    body: bodyOf(asSchema(SavedViewContent)),
  })
  const bulk = fc.record({
    method: fc.constant('POST'),
    target: fc.constant(`${COLLECTION}/bulk`),
    body: bodyOf(asSchema(AgentBulk)),
  })
  const any = fc.oneof(
    { weight: 6, arbitrary: put },
    { weight: 2, arbitrary: post },
    { weight: 1, arbitrary: redact },
    { weight: 1, arbitrary: secret },
    { weight: 1, arbitrary: view },
    { weight: 1, arbitrary: bulk },
  )
  return fc.tuple(any, mediaType, fc.boolean()).map(([{ method, target, body }, type, chunked]) => {
    const size = body.length.toString(16)
    const lines = [...known, `content-type: ${type}`]
    const bytes = chunked
      ? request(
          method,
          target,
          [...lines, 'transfer-encoding: chunked'],
          body.length === 0
            ? Buffer.from('0\r\n\r\n')
            : Buffer.concat([Buffer.from(`${size}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]),
        )
      : request(method, target, [...lines, `content-length: ${body.length}`], body)
    return { method, bytes, connection: 'kept' as const }
  })
}

function pathInput(agent: string, known: string[]): fc.Arbitrary<FuzzInput> {
  const piece = fc.oneof(
    fc.constantFrom(
      '/',
      '//',
      '.',
      '..',
      '%2e%2e',
      '%2F',
      '%5c',
      '\\',
      '%',
      '%z',
      '%00',
      '%c0%ae',
      '%ff',
      ';',
      '?',
      '&=',
    ),
    fc.constantFrom(
      '#',
      '*',
      '{',
      '%7B',
      '|',
      '~',
      'v1',
      'health',
      'docs',
      '__proto__',
      'constructor',
      'é',
      '\x80',
      '\x7f',
    ),
    fc.string({ maxLength: 5 }).map((text) => encodeURIComponent(text.toWellFormed())),
    fc.integer({ min: 1, max: 15_000 }).map((length) => 'a'.repeat(length)),
  )
  const bases = [
    agent,
    `${agent}/secrets/`,
    `${agent}/secrets/crm`,
    COLLECTION,
    '/v1/views/',
    '/v1/users/',
    '/v1/users?ids=',
    '/v1/audit-events',
    '/v1/audit-events?field=',
    '/v1/audit-events/export?client_id=',
    '/mcp',
    '/health/live',
    '/health/ready',
    '/openapi.json',
    '/docs',
    '/',
    '',
    'http://a',
    '*',
  ]
  return fc
    .tuple(fc.constantFrom(...METHODS), fc.constantFrom(...bases), fc.array(piece, { maxLength: 4 }))
    .map(([method, base, pieces]) => ({
      method,
      bytes: request(method, base + pieces.join(''), [...known, 'connection: close']),
      connection: 'own' as const,
    }))
}

const ODD_HEADERS = [
  ...['', '*', '"1"', 'W/"1"', '"1", "2"', '"999999999999999999"', '",,,"', 'x', '"\xff"'].map(
    (tag) => `if-match: ${tag}`,
  ),
  ...['*', '"1"', 'W/"1"', ',', '"'].map((tag) => `if-none-match: ${tag}`),
  ...['', ' ', 'a b', '"', 'x'.repeat(200), '\xe9', '../..', '%00'].map((id) => `x-request-id: ${id}`),
  ...['', 'a b', 'a:b', '[::1', 'evil/..', '\xff', 'a,b', 'x'.repeat(5_000)].map((host) => `host: ${host}`),
  ...['', ' ', '%', '%00', '%E2%80%AE', '\xff', '\xc3\xa9', 'x'.repeat(501), '%41'.repeat(3_000)].map(
    (reason) => `console-change-reason: ${reason}`,
  ),
  ...['100-continue', '200-ok', '', 'x'].map((expectation) => `expect: ${expectation}`),
  ...['Bearer', 'Bearer a.b.c', 'bearer \xff', 'Basic eDp5', 'Bearer '.repeat(50), ''].map(
    (value) => `authorization: ${value}`,
  ),
  ...['text/html', '\xff', ';;;', 'application/json'.repeat(400), ''].map((type) => `content-type: ${type}`),
  ...['gzip', 'identity', 'br, br'].map((coding) => `content-encoding: ${coding}`),
  ...['websocket', 'h2c', ''].map((protocol) => `upgrade: ${protocol}`),
  ...['upgrade', 'keep-alive, upgrade', 'x', ''].map((value) => `connection: ${value}`),
  `x: ${'x'.repeat(15_000)}`,
  `x: ${'x'.repeat(17_000)}`,
  'no colon',
  ': no name',
  'na me: x',
  ' folded: x',
  'x: \x00',
  'x: \x7f',
  'accept: \xff\xfe',
  'cookie: ='.padEnd(4_000, ';='),
  '__proto__: x',
  'constructor: x',
  'accept-version: 9',
]

function headerInput(agent: string, known: string[]): fc.Arbitrary<FuzzInput> {
  const lines = fc.array(fc.constantFrom(...ODD_HEADERS), { minLength: 1, maxLength: 5 })
  const many = fc
    .integer({ min: 50, max: 1_500 })
    .map((count) => Array.from({ length: count }, (_, i) => `h${i}: ${i}`))
  const targets = fc.constantFrom(
    agent,
    agent,
    COLLECTION,
    '/mcp',
    '/health/live',
    '/docs',
    '/openapi.json',
    '/nowhere',
  )
  return fc
    .tuple(
      fc.constantFrom(...METHODS),
      targets,
      fc.oneof({ weight: 9, arbitrary: lines }, { weight: 1, arbitrary: many }),
      fc.boolean(),
    )
    .map(([method, target, odd, after]) => {
      const all = after ? [...known, ...odd] : [...odd, ...known]
      return {
        method,
        bytes: request(method, target, [...all, 'connection: close']),
        connection: 'own' as const,
      }
    })
}

/** Requests whose length is not what they say. */
function framingInput(agent: string, known: string[]): fc.Arbitrary<FuzzInput> {
  const lines = fc.constantFrom(
    ['content-length: 10'],
    ['content-length: 1'],
    ['content-length: 0'],
    ['content-length: -1'],
    ['content-length: 2, 2'],
    ['content-length: 2', 'content-length: 2'],
    ['content-length: 2', 'content-length: 3'],
    ['content-length: 99999999999999999999'],
    ['content-length: 1048577'],
    ['content-length: 0x2'],
    ['content-length: +2'],
    ['content-length: 2', 'transfer-encoding: chunked'],
    ['transfer-encoding: chunked'],
    ['transfer-encoding: gzip'],
    ['transfer-encoding: chunked, chunked'],
    ['transfer-encoding:  chunked', 'trailer: x'],
    ['transfer-encoding: xchunked'],
  )
  const bodies = fc.constantFrom(
    '',
    '{}',
    '{',
    '2\r\n{}\r\n',
    '2\r\n{}\r\n0\r\n\r\n',
    'ffffffffff\r\n',
    '-1\r\n',
    '2;x=y\r\n{}\r\n0\r\nx: y\r\n\r\n',
    '{}GET / HTTP/1.1\r\n\r\n',
    '\0\x16\x03\x01',
  )
  return fc
    .tuple(
      fc.constantFrom('PUT', 'POST', 'GET', 'DELETE'),
      fc.constantFrom(agent, agent, '/mcp'),
      lines,
      bodies,
    )
    .map(([method, target, framing, body]) => ({
      method,
      bytes: request(
        method,
        target,
        [...known, 'content-type: application/json', ...framing, 'connection: close'],
        Buffer.from(body, 'latin1'),
      ),
      connection: 'half' as const,
    }))
}
