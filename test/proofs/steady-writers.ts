import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { COLLECTION } from '../support/agents.ts'
import { type RunningConsole, startConsoleProcess } from '../support/processes.ts'
import { until } from '../support/until.ts'

/** Clients that change and read an agent each, one request after another, through several consoles on one database. */
export interface Writers {
  attempts: Attempt[]
  /** Waits until every client has had so many successes, or failures, of changes that it sent after a time. */
  allHad: (outcome: 'success' | 'failure', since: number, times?: number) => Promise<void>
  /** Ends the clients and the consoles. Returns the acknowledged revisions of each agent. */
  stop: () => Promise<Map<string, number[]>>
}

export interface Attempt {
  client: number
  kind: 'read' | 'change'
  /** By `performance.now()`. */
  startedAt: number
  endedAt: number
  status: number
  code: string | undefined
  retryAfter: string | null
}

export interface WritersOptions {
  databaseUrl: string
  consoles: number
  clients: number
  /** The length of the text that each change writes. */
  bytes?: number
}

const PAUSE_AFTER_FAILURE_MS = 50

/** Every wait of a request has a limit; together they are far below this. */
const MAX_RESPONSE_MS = 60_000

/** Nothing is refused for a long queue: what is counted is what the database refuses. */
const environment = { LOG_LEVEL: 'error', DATABASE_MAX_WAIT_MS: '10000' }

export async function startWriters(options: WritersOptions): Promise<Writers> {
  const { databaseUrl, consoles, clients, bytes = 100 } = options
  const running = await startConsoles(databaseUrl, consoles)
  const team = randomUUID()
  const tokens = await Promise.all(running.map((one) => one.token({ team })))
  const attempts: Attempt[] = []
  const acknowledged = new Map<string, number[]>()
  let isStopping = false

  const send = (client: number, method: string, path: string, body?: object) => {
    const at = client % running.length
    return fetch(`${running[at]?.url}${COLLECTION}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${tokens[at]}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(MAX_RESPONSE_MS),
    })
  }
  const attempt = async (client: number, kind: Attempt['kind'], sending: () => Promise<Response>) => {
    const startedAt = performance.now()
    const { status, headers, ...response } = await toReply(await sending())
    const endedAt = performance.now()
    const retryAfter = headers.get('retry-after')
    attempts.push({ client, kind, startedAt, endedAt, status, code: response.code, retryAfter })
    assert.ok(status === 200 || status === 503, `${status} ${response.code}`)
    if (status === 503) await sleep(PAUSE_AFTER_FAILURE_MS)
    return status === 200 ? Number(headers.get('etag')?.slice(1, -1)) : undefined
  }
  const runClient = async (client: number) => {
    const created = await send(client, 'POST', '', { agent_name: 'Agent', model_name: 'model' })
    assert.equal(created.status, 201)
    const { id } = (await created.json()) as { id: string }
    const revisions = [1]
    acknowledged.set(id, revisions)
    for (let n = 0; !isStopping; n++) {
      // Text that PostgreSQL cannot compress much.
      const change = { agent_system_prompt: `${n} ${randomBytes(bytes / 2).toString('hex')}` }
      const revision = await attempt(client, 'change', () => send(client, 'PUT', `/${id}`, change))
      if (revision !== undefined) revisions.push(revision)
      await attempt(client, 'read', () => send(client, 'GET', `/${id}`))
    }
  }
  const all = Promise.all(Array.from({ length: clients }, (_, client) => runClient(client)))
  let failure: unknown
  all.catch((error: unknown) => (failure = error))

  return {
    attempts,
    allHad: (outcome, since, times = 1) =>
      until(
        `every client has had ${times} times a ${outcome}`,
        () => {
          if (failure !== undefined) throw failure
          const found = attempts.filter(
            ({ kind, startedAt, status }) =>
              kind === 'change' && startedAt >= since && (status === 200) === (outcome === 'success'),
          )
          const byClient = Map.groupBy(found, ({ client }) => client)
          return byClient.size === clients && [...byClient.values()].every(({ length }) => length >= times)
        },
        120_000,
      ),
    stop: async () => {
      isStopping = true
      try {
        await all
      } finally {
        await Promise.all(running.map((one) => one.close()))
      }
      return acknowledged
    },
  }
}

async function toReply(response: Response) {
  const { code } = (await response.json()) as { code?: string }
  return { status: response.status, headers: response.headers, code }
}

async function startConsoles(databaseUrl: string, count: number): Promise<RunningConsole[]> {
  const running: RunningConsole[] = []
  try {
    for (let n = 0; n < count; n++)
      running.push(await startConsoleProcess({ ...environment, DATABASE_URL: databaseUrl }))
    return running
  } catch (error) {
    await Promise.all(running.map((one) => one.close()))
    throw error
  }
}

/** Every response is a success or a 503 that says when to come back. */
export function checkResponses(attempts: Attempt[]): void {
  for (const { status, code, retryAfter } of attempts) {
    if (status === 200) continue
    assert.equal(status, 503, code)
    assert.match(code ?? '', /^(database_unavailable|outcome_unknown)$/)
    assert.match(retryAfter ?? '', /^\d+$/)
  }
}

/** No acknowledged change is lost. A server that had lost one would give its revision to another change. */
export function checkAcknowledged(
  acknowledged: Map<string, number[]>,
  stored: { id: string; revision: number }[],
): void {
  const newest = new Map(stored.map(({ id, revision }) => [id, revision]))
  for (const [id, revisions] of acknowledged) {
    assert.equal(new Set(revisions).size, revisions.length, `agent ${id} has a revision twice`)
    assert.ok((newest.get(id) ?? 0) >= Math.max(...revisions), `agent ${id} has lost a revision`)
  }
}
