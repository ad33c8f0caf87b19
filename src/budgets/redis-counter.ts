import { DECIDE_LUA, NOW_LUA } from '../platform/redis/gcra.ts'
import type { Redis } from '../platform/redis/redis.ts'
import { createScript } from '../platform/redis/script.ts'
import type { Budget, Counter, Counts } from './counter.ts'
import { bucketOf, MAX_SOURCES, recentBuckets, USE_KEPT_SECONDS } from './use.ts'

/** KEYS: the TAT, the bucket of use. ARGV: cost, allowance, capacity, permits, source, and the source that others count under. */
const CHANGE = createScript(`${NOW_LUA}${DECIDE_LUA}
if granted and KEYS[2] then
  local permits = tonumber(ARGV[4])
  local isNew = redis.call('HINCRBY', KEYS[2], ARGV[5], permits) == permits
  if isNew and redis.call('HLEN', KEYS[2]) > ${MAX_SOURCES} then
    redis.call('HDEL', KEYS[2], ARGV[5])
    redis.call('HINCRBY', KEYS[2], ARGV[6], permits)
  end
  if isNew then redis.call('EXPIRE', KEYS[2], ${USE_KEPT_SECONDS}) end
end
return {granted and 1 or 0, debt}
`)

/** KEYS: buckets of use. Returns their sources and permits, one after the other. */
const READ_USE = createScript(`
local all = {}
for _, key in ipairs(KEYS) do
  for _, text in ipairs(redis.call('HGETALL', key)) do table.insert(all, text) end
end
return all
`)

/** Counts for all replicas. The clock of this process only chooses the bucket of use. */
export function createRedisCounter(redis: Redis, now: () => number): Counter {
  return {
    countedBy: 'redis',
    policyOf: ({ policy }) => policy,
    change: async (budget, { amounts, count, source }) => {
      const { costUs, allowanceUs, capacityUs } = amounts
      const key = keyOf(budget)
      const reply = source
        ? await redis.run(
            CHANGE,
            [key, useKey(key, bucketOf(now()))],
            [costUs, allowanceUs, capacityUs, count, source.text, source.other],
          )
        : await redis.run(CHANGE, [key], [costUs, allowanceUs, capacityUs])
      return reply && { isGranted: reply[0] === 1, debtUs: Number(reply[1]) }
    },
    readUse: async (budget) => {
      const key = keyOf(budget)
      const keys = recentBuckets(now()).map((bucket) => useKey(key, bucket))
      const reply = await redis.run(READ_USE, keys, [])
      return reply && toCounts(reply)
    },
  }
}

/** The braces keep all keys of an agent on one node of a cluster. */
const keyOf = ({ teamId, agentId }: Budget) => `budget:{${teamId}:${agentId}}`
const useKey = (key: string, bucket: number) => `${key}:use:${bucket}`

function toCounts(reply: unknown[]): Counts {
  const counts: Counts = []
  for (let index = 0; index < reply.length; index += 2) {
    counts.push([String(reply[index]), Number(reply[index + 1])])
  }
  return counts
}
