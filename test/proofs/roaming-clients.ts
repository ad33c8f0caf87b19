import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { COLLECTION } from '../support/agents.ts'
import type { Replicas, Version } from './replicas.ts'

/** Clients that use an agent each. Every request goes to the next replica, so that each version reads what the other one
 * wrote. */
export interface RoamingClients {
  /** How many requests each version has answered. */
  answered: Record<Version, number>
  /** How many were refused with a 503 that says that nothing was changed. */
  refused: () => number
  /** Throws what a client has found wrong. */
  check: () => void
  /** Returns the last acknowledged revision of each agent. */
  stop: () => Promise<Map<string, number>>
}

/** What a client expects of its agent. */
interface Expected {
  id: string
  revision: number
  purpose: string | null
  apiKey: string
}

interface Reply {
  status: number
  revision: number
  // oxlint-disable-next-line typescript/no-explicit-any -- each operation has another body
  body: any
}

type Send = (method: string, path: string, json?: object, headers?: Record<string, string>) => Promise<Reply>

const NOTHING_CHANGED = ['database_unavailable', 'overloaded', 'agent_busy']
const PAUSE_MS = 50

export function startRoamingClients(replicas: Replicas, token: string, clients: number): RoamingClients {
  const answered = { old: 0, new: 0 }
  const agents: Expected[] = []
  let refused = 0
  let isStopping = false
  let failure: unknown

  const send: Send = async (method, path, json, headers = {}) => {
    for (;;) {
      const { url, version } = replicas.next()
      const response = await fetch(url + COLLECTION + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(json ? { 'content-type': 'application/json' } : {}),
          ...headers,
        },
        ...(json ? { body: JSON.stringify(json) } : {}),
      })
      const text = await response.text()
      const body = text === '' ? undefined : JSON.parse(text)
      if (response.status !== 503) {
        answered[version] += 1
        assert.ok(response.status < 300, `${version}: ${method} ${path}: ${response.status} ${text}`)
        return { status: response.status, revision: Number(response.headers.get('etag')?.slice(1, -1)), body }
      }
      assert.ok(NOTHING_CHANGED.includes(body.code), `${version}: ${method} ${path}: 503 ${body.code}`)
      assert.match(response.headers.get('retry-after') ?? '', /^\d+$/)
      refused += 1
      await sleep(PAUSE_MS)
    }
  }
  const runClient = async () => {
    const apiKey = randomUUID()
    const created = await send('POST', '', { agent_name: 'Agent', model_name: 'model', api_key: apiKey })
    const agent: Expected = { id: created.body.id, revision: 1, purpose: null, apiKey }
    agents.push(agent)
    for (let turn = 0; !isStopping; turn++) {
      await change(send, agent)
      await read(send, agent)
      await OTHERS[turn % OTHERS.length]?.(send, agent)
    }
  }
  const all = Promise.all(Array.from({ length: clients }, runClient))
  all.catch((error: unknown) => (failure = error))
  const check = () => {
    if (failure !== undefined) throw failure
  }
  return {
    answered,
    refused: () => refused,
    check,
    stop: async () => {
      isStopping = true
      await all
      return new Map(agents.map(({ id, revision }) => [id, revision]))
    },
  }
}

async function change(send: Send, agent: Expected): Promise<void> {
  const [purpose, apiKey] = [randomUUID(), randomUUID()]
  const { revision } = await send('PUT', `/${agent.id}`, { purpose, api_key: apiKey })
  assert.equal(revision, agent.revision + 1)
  Object.assign(agent, { revision, purpose, apiKey })
}

async function read(send: Send, { id, revision, purpose }: Expected): Promise<void> {
  const reply = await send('GET', `/${id}`)
  assert.deepEqual([reply.revision, reply.body.purpose], [revision, purpose])
}

const OTHERS: ((send: Send, agent: Expected) => Promise<void>)[] = [
  async function readSecret(send, { id, apiKey }) {
    assert.equal((await send('GET', `/${id}/secrets`)).body.api_key, apiKey)
  },
  async function readHistory(send, { id, revision }) {
    const { body } = await send('GET', `/${id}/revisions?limit=2`)
    assert.deepEqual(
      body.results.map((each: { revision: number }) => each.revision),
      [revision, revision - 1],
    )
    await send('GET', `/${id}/revisions/${revision - 1}`)
  },
  async function restore(send, agent) {
    const { revision, body } = await send('POST', `/${agent.id}/revisions/${agent.revision - 1}/restore`)
    assert.equal(revision, agent.revision + 1)
    Object.assign(agent, { revision, purpose: body.purpose })
  },
  async function list(send) {
    await send('GET', '?limit=20&include_scores=true')
  },
  async function evaluate(send, { id, revision }) {
    const evaluation = { evaluation_id: randomUUID(), revision, overall_score: 0.5 }
    await send('PUT', `/${id}/latest-evaluation`, evaluation)
  },
  async function deleteAndRecover(send, agent) {
    await send('DELETE', `/${agent.id}`)
    const { revision } = await send('POST', `/${agent.id}/recover`)
    assert.equal(revision, agent.revision + 2)
    Object.assign(agent, { revision })
  },
  async function createTwiceAndDelete(send) {
    const create = (key: string) =>
      send('POST', '', { agent_name: 'Short-lived', model_name: 'model' }, { 'idempotency-key': key })
    const key = randomUUID()
    const { id } = (await create(key)).body
    assert.equal((await create(key)).body.id, id)
    await send('DELETE', `/${id}`)
  },
]
