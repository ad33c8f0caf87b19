import { setTimeout as sleep } from 'node:timers/promises'
import { COLLECTION } from '../support/agents.ts'
import { type Watching, watch } from '../support/watching.ts'

/** A client that keeps the revision of every agent of its team, by the list and then by events. */
export interface Follower {
  revisions: () => Map<string, number>
  /** How often its position was refused with 410. */
  refusals: () => number
  stop: () => Promise<void>
}

const PAUSE_MS = 50

/** `findUrl` returns the console to ask next: each connection may go to another one. */
export function startFollower(findUrl: () => string, token: string): Follower {
  let listed = new Map<string, number>()
  let watching: Watching | undefined
  let position: string | undefined
  let refusals = 0
  let isStopped = false

  const revisions = () => {
    const result = new Map(listed)
    for (const { event } of watching?.seen ?? []) {
      const { agent_id: id, revision } = event.data
      result.set(id, Math.max(revision, result.get(id) ?? 0))
    }
    return result
  }
  const follow = async () => {
    const url = findUrl()
    watching = await watch(url, { token, lastEventId: position })
    if (watching.status === 410) {
      refusals++
      position = undefined
    }
    if (watching.status !== 200) return
    // The list is read while the events of the meantime arrive.
    if (position === undefined) listed = await list(url, token)
    await watching.ended
    position = watching.position()
    listed = revisions()
  }
  const run = async () => {
    while (!isStopped) {
      // The console may be down.
      await follow().catch(() => {})
      if (!isStopped) await sleep(PAUSE_MS)
    }
  }
  const running = run()
  return {
    revisions,
    refusals: () => refusals,
    stop: async () => {
      isStopped = true
      watching?.stop()
      await running
    },
  }
}

async function list(url: string, token: string): Promise<Map<string, number>> {
  const revisions = new Map<string, number>()
  let cursor: string | null = null
  do {
    const query = `limit=500${cursor === null ? '' : `&cursor=${cursor}`}`
    const response = await fetch(`${url}${COLLECTION}?${query}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    if (!response.ok) throw new Error(`The list answers ${response.status}`)
    const page = (await response.json()) as Page
    for (const [index, { id }] of page.results.entries()) revisions.set(id, page.revisions[index] as number)
    cursor = page.next_cursor
  } while (cursor !== null)
  return revisions
}

interface Page {
  results: { id: string }[]
  revisions: number[]
  next_cursor: string | null
}
