import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { freePorts } from '../dev/free-port.ts'
import type { Statement } from '../src/platform/postgres/sql.ts'
import { type Issuer, startIssuer } from '../test/support/issuer/issuer.ts'
import { startBenchDatabase } from '../test/support/measured-database.ts'
import { type Contender, inTurn, measuring } from './contest.ts'
import { runTool } from './run-tool.ts'
import { startService } from './script-process.ts'
import { CONNECTIONS, type Load, sendRequests } from './wrk.ts'

const AGENTS = 100_000
const TEAM = '00000000-0000-4000-8000-000000000001'
const USER = '00000000-0000-4000-8000-000000000002'

/** The id of the n-th agent, in SQL and in Lua alike. */
const ID_PREFIX = '00000000-0000-7000-8000-'

/** A full agent: every field that a client can set. */
const FULL_UPDATE = {
  status: 'active',
  agent_name: 'Invoice helper',
  agent_url: 'https://agents.example/invoice',
  model_name: 'gpt-5.4',
  agent_system_prompt: 'You answer questions about invoices. Never promise a refund. '.repeat(8),
  hub: 'custom',
  rate_limit_requests_per_minute: 60,
  access_level: 'grey_box',
  agent_params: { temperature: 0.2, top_p: 0.9, max_tokens: 1024, timeout: 30, rag_params: { k: 4 } },
  mcp_config: { proxy_url: 'https://mcp.example', access_level: 'read', server_urls: ['https://m.example'] },
  delegated_agents: [{ url: 'https://a.example', name: 'A', capabilities: ['search'] }],
  white_box_config: { repo_url: 'https://git.example/x', repo_branch: 'main', entry_point: 'main.py' },
  agent_metadata: {
    role: 'support',
    description: 'Answers questions',
    version: '1.2',
    tags: ['billing', 'eu'],
  },
  protocol: 'chat_completions',
  test_score: '87.5',
  last_tested_by: 'harness',
  evaluated_harnesses: ['security', 'safety'],
  last_evaluated_at: 1_794_700_000,
  protection_status: 'configured',
  guard_config_id: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  guard_manually_configured: true,
}

export interface AgentBench {
  folder: string
  databaseUrl: string
  /** The consoles, which get the requests of a Lua script for wrk. Their CPU time includes that of PostgreSQL. */
  consoles: (script: string) => Contender[]
  /** A bare Fastify that sends the statement, which gets the same requests. */
  bareReader: (name: string, statement: Statement, script: string) => Promise<Contender>
  /** pgbench with PostgreSQL, which gets the statements of a script, prepared. */
  pgbench: (name: string, script: string) => Contender
  close: () => Promise<void>
}

/** The console and pgbench on the same database of full agents; or several consoles, each with settings of its own and so many
 * processes. */
export async function startAgentBench(
  environments: Record<string, Record<string, string>> = { console: {} },
  processes = 1,
): Promise<AgentBench> {
  await using started = new AsyncDisposableStack()
  const { url: databaseUrl, pid: postgres, remove } = await startBenchDatabase()
  started.defer(remove)
  await fill(databaseUrl)
  const folder = await mkdtemp(join(tmpdir(), 'console-bench-'))
  started.defer(() => rm(folder, { recursive: true }))
  const issuer: Issuer = await startIssuer()
  started.defer(() => issuer.close())
  const headers = { authorization: `Bearer ${await issuer.token({ user: USER, team: TEAM })}` }
  const startConsole = async (environment: Record<string, string>) => {
    const [port = 0, metricsPort = 0] = await freePorts(2)
    const url = `http://127.0.0.1:${port}`
    const own = {
      NODE_ENV: 'production',
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      DATABASE_URL: databaseUrl,
      AUTH_ISSUER: issuer.url,
      AUTH_AUDIENCE: issuer.audience,
      SECRETS_KEYS: `bench:${randomBytes(32).toString('base64')}`,
      SHUTDOWN_DELAY_MS: '0',
      // On a busy machine the console would refuse requests. Their CPU time is not what the bench measures.
      DATABASE_MAX_WAIT_MS: '10000',
      ...(process.env['BENCH_NODE_OPTIONS'] ? { NODE_OPTIONS: process.env['BENCH_NODE_OPTIONS'] } : {}),
    }
    const service = await startService('src/main.ts', { ...own, ...environment }, `${url}/health/live`, {
      isRead: false,
    })
    started.defer(service.stop)
    return { url, pid: service.pid }
  }
  const consoles: Record<string, { url: string; pid: number }[]> = {}
  for (const [name, environment] of Object.entries(environments)) {
    const alike = (consoles[name] = [] as { url: string; pid: number }[])
    while (alike.length < processes) alike.push(await startConsole(environment))
  }
  const running = started.move()
  // What the console has for requests that are no searches.
  const bareConnections = 13
  const startBare = async ({ name, text }: Statement) => {
    const [port = 0] = await freePorts(1)
    const url = `http://127.0.0.1:${port}`
    const service = await startService('bench/bare-read.ts', { NODE_ENV: 'production' }, `${url}/`, {
      args: [String(port), databaseUrl, TEAM, name ?? '', text, String(bareConnections)],
      isRead: false,
    })
    running.defer(service.stop)
    return { url, pid: service.pid }
  }
  return {
    ...{ folder, databaseUrl },
    consoles: (script) =>
      Object.entries(consoles).map(([name, alike]) => ({
        name,
        processes,
        measure: inTurn(
          alike.map(({ url, pid }) =>
            measuring([pid, postgres], (s) => sendRequests({ url, headers, script }, s)),
          ),
        ),
      })),
    bareReader: async (name, statement, script) => {
      const { url, pid } = await startBare(statement)
      return { name, measure: measuring([pid, postgres], (s) => sendRequests({ url, headers, script }, s)) }
    },
    pgbench: (name, script) => ({
      name,
      // pgbench itself is a child of this process.
      measure: measuring([postgres, process.pid], (s) => pgbench(databaseUrl, folder, script, s)),
    }),
    close: () => running.disposeAsync(),
  }
}

/** The agent of a random number, for a pgbench script. */
export const RANDOM_AGENT = {
  set: `\\set n random(0, ${AGENTS - 1})`,
  id: `('${ID_PREFIX}' || lpad(to_hex(:n::bigint), 12, '0'))::uuid`,
  team: `'${TEAM}'::uuid`,
  user: `'${USER}'::uuid`,
}

/** Requests for random agents, as wrk sends them. */
async function writeLua(folder: string, request: string): Promise<string> {
  const file = join(folder, `${randomUUID()}.lua`)
  await writeFile(
    file,
    `
math.randomseed(os.time())
local n = 0
local function path()
  return string.format("/v1/agent-configurations/${ID_PREFIX}%012x", math.random(0, ${AGENTS - 1}))
end
${request}
`,
  )
  return file
}

/** Updates of random agents: a whole agent is put back with one field changed. */
export const writeUpdates = (folder: string) =>
  writeLua(
    folder,
    `
wrk.method = "PUT"
wrk.headers["Content-Type"] = "application/json"
function request()
  n = n + 1
  return wrk.format(nil, path(), nil, [==[${JSON.stringify(FULL_UPDATE).slice(0, -1)},"purpose":"]==] .. math.random(1, 1000000000) .. '"}')
end`,
  )

/** Reads of random agents. */
export const writeReads = (folder: string) =>
  writeLua(folder, 'function request() return wrk.format("GET", path()) end')

async function fill(databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  const json = (value: unknown) => `'${JSON.stringify(value)}'`
  const U = FULL_UPDATE
  try {
    await client.query(`
      INSERT INTO agents (team_id, id, revision, created_by, created_at, updated_at, agent_name, model_name, agent_url, hub,
        agent_system_prompt, rate_limit_requests_per_minute, status, access_level, purpose, protocol, test_score,
        last_tested_by, last_evaluated_at, protection_status, guard_config_id, guard_manually_configured, trust_stage,
        agent_params, mcp_config, delegated_agents, white_box_config, agent_metadata, evaluated_harnesses,
        import_metadata, capabilities, skills, bytes)
      SELECT '${TEAM}', ('${ID_PREFIX}' || lpad(to_hex(n), 12, '0'))::uuid, 1, '${USER}', 1794700000, 1794700000,
        '${U.agent_name}', '${U.model_name}', '${U.agent_url}', '${U.hub}', '${U.agent_system_prompt}', 60, 'active',
        'grey_box', 'billing', 'chat_completions', 87.5, 'harness', 1794700000, 'configured', '${U.guard_config_id}', true,
        'registered', ${json(U.agent_params)}, ${json(U.mcp_config)}, ${json(U.delegated_agents)},
        ${json(U.white_box_config)}, ${json(U.agent_metadata)}, ${json(U.evaluated_harnesses)},
        '{"source":"manual"}', '{"streaming":true}', '[]', 1500
      FROM generate_series(0, ${AGENTS - 1}) n`)
    await client.query(`
      INSERT INTO agent_revisions (team_id, agent_id, revision, changed_at, changed_by, action, fields, before)
      SELECT team_id, id, 1, created_at, created_by, 'created', '{}', '{}' FROM agents`)
    await client.query('VACUUM ANALYZE')
  } finally {
    await client.end()
  }
}

async function pgbench(databaseUrl: string, folder: string, script: string, seconds: number): Promise<Load> {
  const file = join(folder, `${randomUUID()}.sql`)
  await writeFile(file, script)
  const output = await runTool('pgbench', 'postgresql-contrib', [
    ...['-n', '-M', 'prepared', '-c', String(CONNECTIONS), '-j', '1', '-T', String(seconds), '-f', file],
    databaseUrl,
  ])
  if (/failed transactions: [1-9]/.test(output)) throw new Error(output)
  const requests = Number(/actually processed: (\d+)/.exec(output)?.[1])
  return { requests, seconds: requests / Number(/tps = ([\d.]+)/.exec(output)?.[1]) }
}
