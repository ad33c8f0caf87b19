import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { COLLECTION } from '../support/agents.ts'

export interface TeamClients {
  /** The acknowledged revisions of each agent. */
  acknowledged: Map<string, number[]>
  updates: () => number
  /** What must not happen. */
  faults: string[]
  /** By `performance.now()`. */
  refusedAt: number[]
  /** The first update that the second cell acknowledged. */
  servedAgainAt: () => number | undefined
  stop: () => Promise<void>
}

export interface TeamOfClients {
  token: string
  ids: string[]
  clients: number
  /** Where the team is, and whether it is where it began. */
  home: () => { url: string; isFirst: boolean }
}

const PAUSE_AFTER_REFUSAL_MS = 20

/** Clients that update agents of a team and read what they have written, one request after another. A refused update is
 * repeated, at the place where the team is by then. */
export function startTeamClients({ token, ids, clients, home }: TeamOfClients): TeamClients {
  const acknowledged = new Map<string, number[]>(ids.map((id) => [id, []]))
  const faults: string[] = []
  const refusedAt: number[] = []
  let updates = 0
  let servedAgainAt: number | undefined
  let isStopping = false

  const send = async (method: 'GET' | 'PUT', id: string, body?: object) => {
    const { url, isFirst } = home()
    const response = await fetch(`${url}${COLLECTION}/${id}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    const revision = Number(response.headers.get('etag')?.slice(1, -1))
    return { status: response.status, text, revision, isFirst }
  }

  const update = async (id: string): Promise<void> => {
    const purpose = randomUUID()
    while (!isStopping) {
      const { status, text, revision, isFirst } = await send('PUT', id, { purpose })
      if (status === 200) {
        acknowledged.get(id)?.push(revision)
        updates += 1
        if (!isFirst) servedAgainAt ??= performance.now()
        return
      }
      if (status !== 503 || !text.includes('agent_busy')) faults.push(`PUT ${status} ${text}`)
      refusedAt.push(performance.now())
      await sleep(PAUSE_AFTER_REFUSAL_MS)
    }
  }
  const read = async (id: string): Promise<void> => {
    const known = acknowledged.get(id)?.at(-1) ?? 1
    const { status, text, revision } = await send('GET', id)
    if (status !== 200) faults.push(`GET ${status} ${text}`)
    else if (revision < known) faults.push(`GET has revision ${revision} after ${known} was acknowledged`)
  }
  const run = async (client: number) => {
    // Each has its own agents, so that it knows the newest revision.
    const own = ids.filter((_, n) => n % clients === client)
    for (let n = 0; !isStopping; n++) {
      const id = own[n % own.length] as string
      await update(id)
      await read(id)
    }
  }
  const all = Promise.all(Array.from({ length: clients }, (_, client) => run(client)))
  all.catch((error: unknown) => faults.push(String(error)))

  return {
    acknowledged,
    faults,
    refusedAt,
    updates: () => updates,
    servedAgainAt: () => servedAgainAt,
    stop: async () => {
      isStopping = true
      await all.catch(() => {})
    },
  }
}
