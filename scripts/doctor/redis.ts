import { advice, type Context, orOk, problem, type Result, skipped } from './finding.ts'

const OLDEST_VERSION = 6
const TIMEOUT_MS = 5_000

/** Reachability, version, role, eviction, and whether the user may run scripts. */
export async function checkRedis({ config: { redis, budgetReplicas } }: Context): Promise<Result[]> {
  if (!redis)
    return [
      budgetReplicas > 1
        ? skipped(`REDIS_URL is not set; ${budgetReplicas} replicas share each request budget`)
        : advice(
            'REDIS_URL is not set, and REQUEST_BUDGET_REPLICAS is 1: each replica grants the whole request budget.',
            'Set REDIS_URL, or REQUEST_BUDGET_REPLICAS to the number of replicas (docs/request-budget.md).',
          ),
    ]
  // Only here: most commands do not need the package, which is slow to load.
  const { createClient } = await import('@redis/client')
  const client = createClient({
    url: redis.url,
    RESP: 2,
    socket: { connectTimeout: TIMEOUT_MS, reconnectStrategy: false },
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.sendCommand(['EVAL', "return redis.call('TIME')", '0'])
    return inspect(await client.sendCommand<string>(['INFO']).catch(() => ''))
  } catch (error) {
    return [
      problem(
        `Redis cannot be used: ${(error as Error).message || (error as { code?: string }).code}.`,
        'Check REDIS_URL and the commands that the user needs (docs/request-budget.md, What Redis needs).',
      ),
    ]
  } finally {
    if (client.isOpen) client.destroy()
  }
}

/** Takes the reply to INFO: empty if the user may not read it. */
function inspect(info: string): Result[] {
  const read = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1] ?? ''
  const version = read('redis_version')
  const policy = read('maxmemory_policy')
  return orOk(
    [
      version !== '' && Number(version.split('.')[0]) < OLDEST_VERSION
        ? problem(`Redis is ${version}.`, `Upgrade it to version ${OLDEST_VERSION} or newer.`)
        : undefined,
      read('role') === 'slave'
        ? problem('REDIS_URL leads to a replica, which refuses writes.', 'Let it lead to the primary.')
        : undefined,
      Number(read('maxmemory')) > 0 && policy !== 'noeviction'
        ? advice(
            `Redis removes keys when its memory is full (${policy}): agents get more than their budget.`,
            'Set maxmemory-policy to noeviction, or use a Redis of its own.',
          )
        : undefined,
    ],
    version === '' ? 'Redis responds' : `Redis ${version}`,
  )
}
