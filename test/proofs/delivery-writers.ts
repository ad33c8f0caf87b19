import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { COLLECTION } from '../support/agents.ts'
import type { Acknowledged } from './delivery-check.ts'

export interface Writing {
  url: string
  token: string
  writers: number
  /** Resolves while the API runs. */
  isUp: () => Promise<void>
}

/** Creates so many agents and answers their ids. */
export async function createAgents(writing: Writing, agents: number): Promise<string[]> {
  const ids: string[] = []
  await share(writing.writers, agents, async () => {
    const response = await send(writing, 'POST', '', { agent_name: 'Agent', model_name: 'model' })
    assert.equal(response.status, 201)
    ids.push(((await response.json()) as { id: string }).id)
  })
  return ids
}

/** Makes updates until there are enough. A writer that gets no response, because the API was killed, repeats the update: it
 * may be there already, or not. */
export async function writeUpdates(
  writing: Writing,
  ids: string[],
  acknowledged: Acknowledged[],
  isEnough: () => boolean,
): Promise<void> {
  const update = async (): Promise<Acknowledged> => {
    // A purpose that the agent already has would change nothing and publish no event.
    const purpose = randomUUID()
    // Some agents often, so that several of their events wait at once; most of them seldom.
    const id = ids[Math.floor(Math.random() ** 3 * ids.length)] as string
    for (;;) {
      await writing.isUp()
      const response = await send(writing, 'PUT', `/${id}`, { purpose }).catch(() => undefined)
      const text = await response?.text().catch(() => undefined)
      if (response === undefined || text === undefined) continue
      assert.equal(response.status, 200, text)
      return { id, revision: Number(response.headers.get('etag')?.slice(1, -1)) }
    }
  }
  await Promise.all(
    Array.from({ length: writing.writers }, async () => {
      while (!isEnough()) acknowledged.push(await update())
    }),
  )
}

async function share(workers: number, count: number, work: () => Promise<void>): Promise<void> {
  let left = count
  await Promise.all(
    Array.from({ length: workers }, async () => {
      while (left-- > 0) await work()
    }),
  )
}

function send({ url, token }: Writing, method: string, path: string, body: object): Promise<Response> {
  return fetch(`${url}${COLLECTION}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}
