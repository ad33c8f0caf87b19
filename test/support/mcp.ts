import {
  type CallToolResult,
  Client,
  type ClientCapabilities,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { closeAfter } from './close-after.ts'
import type { Reply, TestConsole } from './console.ts'

export const REVISIONS = ['2026-07-28', '2025-11-25'] as const
export type ProtocolRevision = (typeof REVISIONS)[number]

export interface ConnectOptions {
  revision?: ProtocolRevision
  /** Answers the questions of the server. Without it, the client cannot ask its user. */
  onQuestion?: (message: string) => {
    action: 'accept' | 'decline' | 'cancel'
    content?: { confirm: boolean }
  }
}

/** The official client, closed after the tests of the calling file or suite. It knows the tools, so it checks their results. */
export async function connectClient(
  { url }: TestConsole,
  token: string,
  { revision = '2026-07-28', onQuestion }: ConnectOptions = {},
): Promise<Client> {
  const client = new Client(
    { name: 'a test client', version: '1.0.0' },
    {
      capabilities: onQuestion ? { elicitation: { form: {} } } : {},
      ...(revision === '2026-07-28' && { versionNegotiation: { mode: 'auto' as const } }),
    },
  )
  if (onQuestion) {
    client.setRequestHandler('elicitation/create', ({ params }) => onQuestion(params.message))
  }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  )
  closeAfter(() => client.close())
  await client.listTools()
  return client
}

/** Calls a tool and returns its data. Throws its sentence if it failed. */
export async function callTool<Data = Record<string, unknown>>(
  client: Client,
  name: string,
  args: object = {},
): Promise<Data> {
  const result = await call(client, name, args)
  if (result.isError === true) throw new Error(textOf(result))
  return result.structuredContent as Data
}

export async function call(client: Client, name: string, args: object = {}): Promise<CallToolResult> {
  return client.callTool({ name, arguments: { ...args } })
}

export function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

export interface RpcReply {
  result?: { resultType?: string; requestState?: string; inputRequests?: object } & Record<string, unknown>
  error?: { code: number; message: string; data?: unknown }
}

export interface RpcOptions {
  token?: string | null
  capabilities?: ClientCapabilities
  headers?: Record<string, string>
  version?: string
}

/** One request of revision 2026-07-28, as HTTP. */
export function rpc(
  running: TestConsole,
  method: string,
  params: { name?: string; [member: string]: unknown } = {},
  { token = null, capabilities = {}, headers = {}, version = '2026-07-28' }: RpcOptions = {},
): Promise<Reply<RpcReply>> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
  const name = params.name ?? params['uri']
  return running.request('POST', '/mcp', {
    token,
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...headers,
    },
    json: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } },
  })
}

/** A call of each tool with valid arguments for an agent at revision 1, and the permission that it needs. */
export const TOOL_CALLS: Record<string, { permission: string; args: (id: string) => object }> = {
  search_agents: { permission: 'agent:read', args: () => ({ q: 'agent' }) },
  get_agent: { permission: 'agent:read', args: (id) => ({ id }) },
  list_revisions: { permission: 'agent:read', args: (id) => ({ id }) },
  diff_revisions: { permission: 'agent:read', args: (id) => ({ id, revision: 1 }) },
  evaluation_status: { permission: 'agent:read', args: (id) => ({ id }) },
  update_agent: {
    permission: 'agent:write',
    args: (id) => ({ id, revision: 1, set: { purpose: 'taken over' } }),
  },
  restore_revision: { permission: 'agent:write', args: (id) => ({ id, restore: 1, revision: 1 }) },
  create_agent: {
    permission: 'agent:write',
    args: (id) => ({ idempotency_key: `for ${id}`, agent: { agent_name: 'New', model_name: 'model' } }),
  },
}
