import * as fc from 'fast-check'
import { AgentCreate, AgentUpdate } from '../../src/agent/schema.ts'
import type { JsonSchema } from '../../src/http/validation/check-value.ts'
import { junk, likely } from '../support/arbitrary-body.ts'
import { REVISIONS, TOOL_CALLS } from '../support/mcp.ts'
import { jsonDocument, render } from './json-documents.ts'

/** A message to the MCP server, and the lines of its head. */
export interface McpMessage {
  lines: string[]
  body: Buffer
}

/** Messages that fit, that nearly fit and that are none, of both revisions of the protocol. */
export function mcpMessage(id: string): fc.Arbitrary<McpMessage> {
  const message = fc.record({
    jsonrpc: mostly('2.0'),
    id: fc.oneof(
      { weight: 9, arbitrary: fc.integer() },
      fc.string({ maxLength: 5 }),
      junk,
      fc.constant(undefined),
    ),
    call: callOf(id),
    meta: fc.option(meta, { nil: undefined, freq: 4 }),
    revision: mostly(...REVISIONS),
  })
  const said = message.map(({ call: { method, params }, meta: about, revision, ...rest }) => {
    const all =
      about === undefined || !isObject(params)
        ? params
        : { ...params, _meta: { ...about, ...version(revision) } }
    return { text: JSON.stringify({ ...rest, method, params: all }), method, revision, name: nameOf(params) }
  })
  const bodies = fc.oneof(
    { weight: 8, arbitrary: said },
    {
      weight: 2,
      arbitrary: fc.tuple(said, fc.nat(), fc.string({ unit: 'binary', maxLength: 3 })).map(damage),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(said, jsonDocument.map(render)).map(([one, text]) => ({ ...one, text })),
    },
    { weight: 1, arbitrary: fc.array(said, { minLength: 1, maxLength: 3 }).map(batch) },
  )
  return fc.tuple(bodies, fc.nat({ max: 9 })).map(([{ text, method, revision, name }, luck]) => ({
    lines: [
      luck === 0 ? 'accept: text/html' : 'accept: application/json, text/event-stream',
      'content-type: application/json',
      ...(luck === 1 ? [] : [`mcp-protocol-version: ${asField(revision)}`]),
      // Clients of the newer revision repeat the method and the name.
      ...(luck === 2 ? [] : [`mcp-method: ${asField(method)}`]),
      ...(luck === 3 || name === undefined ? [] : [`mcp-name: ${asField(name)}`]),
    ],
    body: Buffer.from(text),
  }))
}

interface RpcCall {
  method: unknown
  params: unknown
}

interface Said {
  text: string
  method: unknown
  revision: unknown
  name: unknown
}

const mostly = (...values: string[]) =>
  fc.oneof({ weight: 9, arbitrary: fc.constantFrom<unknown>(...values) }, { weight: 1, arbitrary: junk })

const asSchema = (contract: object) => contract as JsonSchema

function callOf(id: string): fc.Arbitrary<RpcCall> {
  const revision = fc.oneof(fc.integer({ min: 1, max: 5 }), junk)
  const search = fc.record(
    {
      q: fc.string({ unit: 'binary', maxLength: 20 }),
      cursor: fc.base64String({ maxLength: 40 }),
      limit: junk,
    },
    { requiredKeys: [] },
  )
  const named = fc
    .constantFrom(...Object.entries(TOOL_CALLS))
    .chain(([name, { args }]) =>
      fc.tuple(fc.constant(name), fc.oneof(fc.constant(args(id)), fc.dictionary(names, junk), search, junk)),
    )
  const aimed = fc.oneof(
    fc.tuple(
      fc.constant('update_agent'),
      fc.record({ id: fc.constant(id), revision, set: likely(asSchema(AgentUpdate)), reason: junk }),
    ),
    fc.tuple(
      fc.constant('create_agent'),
      fc.record({ idempotency_key: fc.uuid(), agent: likely(asSchema(AgentCreate)) }),
    ),
    fc.tuple(
      fc.constantFrom('diff_revisions', 'restore_revision', 'list_revisions', 'get_agent'),
      fc.record(
        { id: fc.constant(id), revision, against: revision, restore: revision },
        { requiredKeys: ['id'] },
      ),
    ),
  )
  const tool = fc
    .oneof(named, aimed, fc.tuple(junk, junk))
    .map(([name, args]): RpcCall => ({ method: 'tools/call', params: { name, arguments: args } }))
  const uri = fc.oneof(
    fc.constantFrom(
      `agent://${id}`,
      `agent://${id}/revisions/1`,
      `agent://${id}/revisions/1e3`,
      'agent://',
      '%',
      'a:b',
    ),
    fc.webUrl(),
    junk,
  )
  const resource = uri.map((at): RpcCall => ({ method: 'resources/read', params: { uri: at } }))
  const prompt = fc
    .tuple(
      mostly('review_change', 'explain_outdated_score'),
      fc.oneof(fc.constant({ id, revision: '1' }), junk),
    )
    .map(([name, args]): RpcCall => ({ method: 'prompts/get', params: { name, arguments: args } }))
  const beginning = fc.tuple(mostly(...REVISIONS), junk, junk).map(
    ([protocolVersion, capabilities, clientInfo]): RpcCall => ({
      ...{ method: 'initialize', params: { protocolVersion, capabilities, clientInfo } },
    }),
  )
  const other = fc.record({ method: mostly(...OTHER_METHODS), params: fc.oneof(fc.constant({}), junk) })
  return fc.oneof({ weight: 5, arbitrary: tool }, resource, prompt, beginning, {
    weight: 2,
    arbitrary: other,
  })
}

const names = fc.constantFrom('id', 'q', 'set', 'revision', 'cursor', 'limit', 'agent', 'reason', '__proto__')

const OTHER_METHODS = [
  ...['ping', 'tools/list', 'resources/list', 'resources/templates/list', 'prompts/list', 'server/discover'],
  ...['notifications/initialized', 'notifications/cancelled', 'completion/complete', 'logging/setLevel'],
  ...['subscriptions/listen', 'resources/subscribe', 'tasks/get', 'constructor', '__proto__', ''],
]

const PREFIX = 'io.modelcontextprotocol/'

const meta = fc.record(
  {
    [`${PREFIX}clientInfo`]: fc.oneof(
      { weight: 4, arbitrary: fc.constant<unknown>({ name: 'raw', version: '1' }) },
      { weight: 1, arbitrary: junk },
    ),
    [`${PREFIX}clientCapabilities`]: fc.oneof(
      {
        weight: 8,
        arbitrary: fc.constantFrom<unknown>({}, { elicitation: {} }, { elicitation: { form: {} } }),
      },
      { weight: 1, arbitrary: fc.constantFrom<unknown>({ elicitation: null }, { elicitation: 'form' }) },
      { weight: 1, arbitrary: junk },
    ),
    progressToken: fc.oneof({ weight: 9, arbitrary: fc.integer() }, { weight: 1, arbitrary: junk }),
  },
  { requiredKeys: [`${PREFIX}clientInfo`, `${PREFIX}clientCapabilities`] },
)

/** The older revision has its version in the header only. */
const version = (revision: unknown) =>
  revision === '2025-11-25' ? {} : { [`${PREFIX}protocolVersion`]: revision }

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function nameOf(params: unknown): unknown {
  const { name, uri } = (isObject(params) ? params : {}) as { name?: unknown; uri?: unknown }
  return name ?? uri
}

/** A header has no line breaks. */
const asField = (value: unknown) =>
  String(value)
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, 200)

function damage([said, at, put]: [Said, number, string]): Said {
  const start = at % (said.text.length + 1)
  return { ...said, text: said.text.slice(0, start) + put + said.text.slice(start + 1) }
}

function batch(all: Said[]): Said {
  return { ...(all[0] as Said), text: `[${all.map(({ text }) => text).join()}]` }
}
