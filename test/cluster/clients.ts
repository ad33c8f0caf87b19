import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Console, ConsoleError, Stale } from '../../sdk/src/index.ts'
import { acknowledge, beginWrite, type History, refuse, type Write } from './history.ts'
import { recordingFetch } from './recording-fetch.ts'

/** Programs that use the SDK: they create agents, edit agents of each other, and take permits. */
export interface Clients {
  /** Throws if one of them has failed. */
  check: () => void
  /** Ends them when the outcome of every change is known, or will not become known any more. */
  stop: () => Promise<void>
}

export interface ClientsOptions {
  /** The addresses of the API. */
  urls: string[]
  token: () => Promise<string>
  clients: number
  history: History
}

/** The time between two changes of a client: at most this, and half of it on average. As long as the clients wait after a
 * 503, so that they do not return all at once. */
const PAUSE_MS = 2_000
const RESOLUTION_MS = 180_000
const CREATED_SHARE = 0.1
const PERMIT_SHARE = 0.05

export function startClients({ urls, token, clients, history }: ClientsOptions): Clients {
  const ids: string[] = []
  const ending = new AbortController()
  const { signal } = ending
  let isStopping = false
  const run = async (index: number) => {
    const client = new Console({
      baseUrl: urls[0] as string,
      fetch: recordingFetch(urls, index, history),
      token,
      // The outcome of each change becomes known.
      maxRetries: 10_000,
      retryDelayMs: 50,
    })
    await create({ client, history, ids, signal })
    while (!isStopping) {
      await sleep(Math.random() * PAUSE_MS)
      await act({ client, history, ids, signal }).catch((error: unknown) => {
        // The history has its status. The outcome of a change stays unknown, which the checker reports.
        if (!(error instanceof ConsoleError || signal.aborted)) throw error
      })
    }
  }
  const running = Promise.all(Array.from({ length: clients }, (_, index) => run(index)))
  let failure: unknown
  running.catch((error: unknown) => (failure = error))
  return {
    check: () => {
      if (failure !== undefined) throw failure
    },
    stop: async () => {
      isStopping = true
      const timer = setTimeout(() => ending.abort(), RESOLUTION_MS)
      await running.finally(() => clearTimeout(timer))
    },
  }
}

interface Actor {
  client: Console
  history: History
  /** The agents that exist. */
  ids: string[]
  signal: AbortSignal
}

async function act(actor: Actor): Promise<void> {
  const kind = Math.random()
  if (kind < CREATED_SHARE) await create(actor)
  else if (kind < CREATED_SHARE + PERMIT_SHARE) await takePermit(actor)
  else await edit(actor)
}

/** Some often, so that clients meet; most of them seldom. */
function pick(ids: string[]): string {
  return ids[Math.floor(Math.random() ** 3 * ids.length)] as string
}

async function create({ client, history, ids, signal }: Actor): Promise<void> {
  const key = randomUUID()
  const write = beginWrite(history, key, undefined)
  const body = { agent_name: key, model_name: 'model', purpose: key, rate_limit_requests_per_minute: 1 }
  const { agent, revision } = await client.agents.create(body, { idempotencyKey: key, signal })
  acknowledge(write, agent.id, revision)
  ids.push(agent.id)
}

async function edit({ client, history, ids, signal }: Actor): Promise<void> {
  const id = pick(ids)
  const startedAt = performance.now()
  const writes: Write[] = []
  const change: Parameters<Console['agents']['edit']>[1] = (agent, current) => {
    // Another client was faster than the one before it.
    writes.forEach(refuse)
    history.reads.push({ agent: id, revision: current, startedAt })
    const key = randomUUID()
    writes.push(beginWrite(history, key, id))
    return { purpose: key, rate_limit_requests_per_minute: agent.rate_limit_requests_per_minute + 1 }
  }
  try {
    const { revision } = await client.agents.edit(id, change, { signal })
    acknowledge(writes.at(-1) as Write, id, revision)
  } catch (error) {
    if (!(error instanceof Stale)) throw error
    writes.forEach(refuse)
  }
}

async function takePermit({ client, ids, signal }: Actor): Promise<void> {
  const input = { path: { id: pick(ids) }, body: { count: 1, priority: 'interactive' as const }, signal }
  await client.request('POST', '/v1/agent-configurations/{id}/request-budget', input)
}
