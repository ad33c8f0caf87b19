import { createHash } from 'node:crypto'
import type { RedisClientType } from '@redis/client'
import type { Logger } from 'pino'
import { type Factory, onScrape } from '../observe/metrics.ts'
import { Breaker } from '../upstream/breaker.ts'

export interface RedisSettings {
  readonly url: string
  /** Start of every key. */
  readonly prefix: string
  /** The longest wait for a reply. */
  readonly maxWaitMs: number
}

export interface Redis {
  /** Undefined if Redis is away, slow or fails: the caller goes on without it. */
  run: (
    script: RedisScript,
    keys: readonly string[],
    args: readonly (string | number)[],
  ) => Promise<unknown[] | undefined>
  isUp: () => boolean
  close: () => void
}

type Client = Pick<RedisClientType, 'isReady' | 'sendCommand' | 'destroy'>

/** The breaker is for all teams: no team can provoke a failure of Redis. */
const ALL_TEAMS = ''

const RECONNECT_MS = 200
const CONNECT_TIMEOUT_MS = 2_000

/** Commands that may wait for a reply. */
const MAX_PENDING = 10_000

/** A connection on which every command fails for so long is replaced: its peer may have vanished, or be a former primary. */
const REPLACE_AFTER_MS = 5_000

/** Connects in the background: the console starts and runs without Redis. No request waits for it longer than `maxWaitMs`, and
 * none at all while its breaker is open. */
export function createRedis(settings: RedisSettings, log: Logger, metrics: RedisMetrics): Redis {
  const { prefix, maxWaitMs } = settings
  let client: Client | undefined
  let isClosed = false
  let wasUp: boolean | undefined
  let lastError: unknown
  let failingSince: number | undefined

  const breaker = new Breaker(
    () => performance.now(),
    () => observeState(),
  )
  const isUp = () => client?.isReady === true && breaker.state === 'closed'
  /** Logs each change of the state once. */
  const observeState = () => {
    const up = isUp()
    if (isClosed || up === wasUp) return
    wasUp = up
    if (up) log.info('Redis responds; replicas count together')
    else log.warn({ err: lastError }, 'Redis does not respond; each replica counts its own share')
  }
  const connect = async () => {
    // Only here: loading the package takes as long as loading the rest of the console.
    const { createClient } = await import('@redis/client')
    if (isClosed) return
    const connecting = createClient({
      url: settings.url,
      name: 'agent-console',
      // Every server and proxy knows it.
      RESP: 2,
      maintNotifications: 'disabled',
      disableOfflineQueue: true,
      commandsQueueMaxLength: MAX_PENDING,
      socket: { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: RECONNECT_MS },
    })
    client = connecting
    connecting.on('ready', observeState)
    connecting.on('error', (error) => {
      lastError = error
      observeState()
    })
    await connecting.connect()
  }
  const connectInBackground = () =>
    void connect().catch((error: unknown) => {
      // Its own errors it retries. It gives up when it is destroyed.
      if (!isClosed) lastError = error
    })

  const onFailure = (cause: RedisFailure, error?: unknown) => {
    metrics.countFailure(cause)
    lastError = error ?? new Error(`Redis took longer than ${maxWaitMs} ms`)
    failingSince ??= performance.now()
    if (performance.now() - failingSince < REPLACE_AFTER_MS || client?.isReady !== true) return
    failingSince = undefined
    client.destroy()
    connectInBackground()
  }

  metrics.observe(isUp)
  connectInBackground()
  return {
    isUp,
    run: async (script, keys, args) => {
      const ready = client
      if (ready?.isReady !== true) {
        metrics.countFailure('offline')
        return undefined
      }
      const permit = breaker.permit(ALL_TEAMS)
      if (!permit) {
        metrics.countFailure('breaker')
        return undefined
      }
      const send = (command: string[]) => ready.sendCommand(command)
      const names = keys.map((key) => prefix + key)
      const outcome = await settle(maxWaitMs, runScript(send, script, names, args.map(String)))
      if ('value' in outcome) {
        failingSince = undefined
        breaker.report(permit, 'succeeded')
        return outcome.value as unknown[]
      }
      onFailure(outcome.error === undefined ? 'slow' : 'failed', outcome.error)
      breaker.report(permit, 'unreachable')
      return undefined
    },
    close: () => {
      isClosed = true
      if (client) destroy(client)
    },
  }
}

/** A client that was closed before it connected throws. */
function destroy(client: Client): void {
  try {
    client.destroy()
  } catch {
    // It holds nothing.
  }
}

/** Does not cancel the work. No error: it took too long. */
function settle(
  maxWaitMs: number,
  work: Promise<unknown>,
): Promise<{ value: unknown } | { error?: unknown }> {
  return new Promise((resolve) => {
    // If this process was busy, the reply may be there already: it is read before the immediate runs.
    const timer = setTimeout(() => setImmediate(() => resolve({})), maxWaitMs)
    work
      .then(
        (value) => resolve({ value }),
        (error: unknown) => resolve({ error }),
      )
      .finally(() => clearTimeout(timer))
  })
}

/** A Lua script that Redis knows by its hash. */
export interface RedisScript {
  readonly text: string
  readonly sha1: string
}

export function createScript(text: string): RedisScript {
  return { text, sha1: createHash('sha1').update(text).digest('hex') }
}

/** Sends one command. */
export type SendCommand = (command: string[]) => Promise<unknown>

/** Sends the hash of a script, and the script itself if Redis does not know it: Redis forgets scripts when it restarts. */
export async function runScript(
  send: SendCommand,
  { text, sha1 }: RedisScript,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  const rest = [String(keys.length), ...keys, ...args]
  try {
    return await send(['EVALSHA', sha1, ...rest])
  } catch (error) {
    if (!(error as Error).message.startsWith('NOSCRIPT')) throw error
    return send(['EVAL', text, ...rest])
  }
}

/** `offline`: not connected. `breaker`: not asked, because the last calls failed. `slow`: no reply in time. */
export type RedisFailure = 'offline' | 'breaker' | 'slow' | 'failed'

export type RedisMetrics = ReturnType<typeof createRedisMetrics>

export function createRedisMetrics(create: Factory) {
  const failures = create.counter(
    'console_redis_failures_total',
    'Calls of Redis without a reply that can be used, by cause: offline, breaker, slow or failed',
    ['cause'],
  )
  const up = create.gauge(
    'console_redis_up',
    '1 while the process is connected to Redis and Redis responds in time',
  )
  return {
    countFailure: (cause: RedisFailure) => failures.inc({ cause }),
    observe: (isUp: () => boolean) => onScrape(up, () => up.set(Number(isUp()))),
  }
}
