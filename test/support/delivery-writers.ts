import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { COLLECTION } from './agents.ts'
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
    const key = { 'idempotency-key': randomUUID() }
    const body = { agent_name: 'Agent', model_name: 'model' }
    const response = await send(writing, 'POST', '', body, key)
    const text = await response.text()
    assert.equal(response.status, 201, text)
    ids.push((JSON.parse(text) as { id: string }).id)
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
    const sentAt = Date.now()
    for (;;) {
      await writing.isUp()
      const response = await send(writing, 'PUT', `/${id}`, { purpose }).catch(() => undefined)
      const text = await response?.text().catch(() => undefined)
      if (response === undefined || text === undefined) continue
      assert.equal(response.status, 200, text)
      const revision = Number(response.headers.get('etag')?.slice(1, -1))
      return { id, revision, sentAt, answeredAt: Date.now() }
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

/** A console without a free core refuses requests with 503: they are sent again. */
async function send(
  { url, token }: Writing,
  method: string,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  for (;;) {
    const response = await fetch(`${url}${COLLECTION}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    if (response.status !== 503) return response
    await response.body?.cancel()
    await sleep(Number(response.headers.get('retry-after')) * 1_000)
  }
}
