import { Problem } from '../../contract/problem.ts'
import type { Sql } from '../../platform/database/database.ts'
import type { Turns } from '../../platform/fairness/turns.ts'
import type { Caller } from '../../platform/identity/identity.ts'
import type { IdempotencyKey } from '../configuration/idempotency.ts'
import {
  type BulkChangeRow,
  findBulk,
  findBulkChanges,
  insertBulk,
  type StoredBulk,
  storeResults,
} from './store.ts'

export interface RepetitionDeps {
  sql: Sql
  /** Milliseconds since the epoch. */
  now: () => number
  newId: () => string
}

/** A request that changes many agents and has an idempotency key, and what it has done so far. */
export interface RepeatableRequest<Item> {
  /** Marks the changes of the request. */
  id: string
  agentIds: readonly string[]
  /** Null until the request is complete. */
  results: Item[] | null
  /** The changes that were made before, by agent. */
  done: ReadonlyMap<string, BulkChangeRow>
  /** The change of one agent, which a repetition that runs at the same time may have made. */
  findDone: (agentId: string) => Promise<BulkChangeRow | undefined>
  storeResults: (results: readonly Item[]) => Promise<void>
}

export type Repetition = ReturnType<typeof createRepetition>

/** Makes requests that change many agents safe to repeat. */
export function createRepetition({ sql, now, newId }: RepetitionDeps) {
  /** The first request with the key, or this one if it is the first. The agents of the first request are those of all. */
  const claim = async <Item>(
    turns: Turns,
    caller: Caller,
    key: IdempotencyKey,
    selectAgents: () => Promise<string[]>,
  ): Promise<StoredBulk<Item>> => {
    const at = Math.floor(now() / 1_000)
    const find = async () => {
      const found = await findBulk<Item>(sql, caller, key, { now: at, eventId: newId() })
      if (found?.is_same === false) throw new Problem('idempotency_conflict')
      return found
    }
    const first = await turns.take('writes', find)
    if (first) return first
    const request = { id: newId(), agent_ids: await selectAgents(), results: null }
    return turns.take('writes', async () => {
      if (await insertBulk(sql, caller.teamId, key, request, at)) return request
      const other = await find()
      if (!other) throw new Error('The idempotency key conflicts with a row that cannot be found')
      return other
    })
  }

  return {
    async begin<Item extends object>(
      turns: Turns,
      caller: Caller,
      key: IdempotencyKey,
      selectAgents: () => Promise<string[]>,
    ): Promise<RepeatableRequest<Item>> {
      const { teamId } = caller
      const { id, agent_ids: agentIds, results } = await claim<Item>(turns, caller, key, selectAgents)
      const findChanges = (agentId?: string) =>
        turns.take('writes', () => findBulkChanges(sql, teamId, id, agentId))
      const rows = results ? [] : await findChanges()
      return {
        ...{ id, agentIds, results },
        done: new Map(rows.map((row) => [row.agent_id, row])),
        findDone: async (agentId) => (await findChanges(agentId))[0],
        storeResults: (items) => turns.take('writes', () => storeResults(sql, teamId, key, items)),
      }
    },
  }
}
