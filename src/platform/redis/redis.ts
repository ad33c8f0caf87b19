import { createHash } from 'node:crypto'
import type { RedisClientType } from '@redis/client'
import type { Logger } from 'pino'
import { type Factory, type Metrics, onScrape } from '../observe/metrics.ts'
import { Breaker } from '../upstream/breaker.ts'

export interface RedisSettings {
  readonly url: string
  /** Start of every key. */
  readonly prefix: string
  /** The longest wait for a reply. */
  readonly maxWaitMs: number
}

type Client = Pick<RedisClientType, 'isReady' | 'sendCommand' | 'destroy'>

/** The breaker is for all teams: no team can provoke a failure of Redis. */
const ALL_TEAMS = ''

const RECONNECT_MS = 200
const CONNECT_TIMEOUT_MS = 2_000

/** Commands that may wait for a reply. */
const MAX_PENDING = 10_000

/** A connection on which every command fails for so long is replaced: its peer may have vanished, or be a former
 * primary. */
const REPLACE_AFTER_MS = 5_000

/** Connects in the background: the console starts and runs without Redis. No request waits for it longer than
 * `maxWaitMs`, and none at all while its breaker is open. */
export class Redis {
  readonly #settings: RedisSettings
  readonly #log: Logger
  readonly #failures: ReturnType<typeof createRedisMetrics>['failures']
  readonly #breaker = new Breaker(
    () => performance.now(),
    () => this.#observeState(),
  )
  #client: Client | undefined
  #isClosed = false
  #wasUp: boolean | undefined
  #lastError: unknown
  #failingSince: number | undefined

  constructor(settings: RedisSettings, log: Logger, metrics: Metrics) {
    const { failures, up } = metrics.of(createRedisMetrics)
    this.#settings = settings
    this.#log = log
    this.#failures = failures
    onScrape(up, () => up.set(Number(this.isUp())))
    this.#connectInBackground()
  }

  isUp(): boolean {
    return this.#client?.isReady === true && this.#breaker.state === 'closed'
  }

  /** Undefined if Redis is away, slow or fails: the caller goes on without it. */
  async run(
    script: RedisScript,
    keys: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown[] | undefined> {
    const { prefix, maxWaitMs } = this.#settings
    const client = this.#client
    if (client?.isReady !== true) {
      this.#failures.inc({ cause: 'offline' })
      return undefined
    }
    const permit = this.#breaker.permit(ALL_TEAMS)
    if (!permit) {
      this.#failures.inc({ cause: 'breaker' })
      return undefined
    }
    const send = (command: string[]) => client.sendCommand(command)
    const names = keys.map((key) => prefix + key)
    const outcome = await settle(maxWaitMs, runScript(send, script, names, args.map(String)))
    if ('value' in outcome) {
      this.#failingSince = undefined
      this.#breaker.report(permit, 'succeeded')
      return outcome.value as unknown[]
    }
    this.#onFailure(outcome.error)
    this.#breaker.report(permit, 'unreachable')
    return undefined
  }

  close(): void {
    this.#isClosed = true
    if (this.#client) destroy(this.#client)
  }

  #connectInBackground(): void {
    this.#connect().catch((error: unknown) => {
      // Its own errors it retries. It gives up when it is destroyed.
      if (!this.#isClosed) this.#lastError = error
    })
  }

  async #connect(): Promise<void> {
    // Only here: loading the package takes as long as loading the rest of the console.
    const { createClient } = await import('@redis/client')
    if (this.#isClosed) return
    const client = createClient({
      url: this.#settings.url,
      name: 'agent-console',
      // Every server and proxy knows it.
      RESP: 2,
      maintNotifications: 'disabled',
      disableOfflineQueue: true,
      commandsQueueMaxLength: MAX_PENDING,
      socket: { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: RECONNECT_MS },
    })
    this.#client = client
    client.on('ready', () => this.#observeState())
    client.on('error', (error) => {
      this.#lastError = error
      this.#observeState()
    })
    await client.connect()
  }

  /** Logs each change of the state once. */
  #observeState(): void {
    const isUp = this.isUp()
    if (this.#isClosed || isUp === this.#wasUp) return
    this.#wasUp = isUp
    if (isUp) this.#log.info('Redis responds; replicas count together')
    else {
      this.#log.warn({ err: this.#lastError }, 'Redis does not respond; each replica counts its own share')
    }
  }

  /** Without an error, Redis took too long. */
  #onFailure(error: unknown): void {
    this.#failures.inc({ cause: error === undefined ? 'slow' : 'failed' })
    this.#lastError = error ?? new Error(`Redis took longer than ${this.#settings.maxWaitMs} ms`)
    this.#failingSince ??= performance.now()
    const isStuck = performance.now() - this.#failingSince >= REPLACE_AFTER_MS
    if (!isStuck || this.#client?.isReady !== true) return
    this.#failingSince = undefined
    this.#client.destroy()
    this.#connectInBackground()
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

/** Sends the hash of a script, and the script itself if Redis does not know it: Redis forgets scripts when it
 * restarts. */
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

export function createRedisMetrics(create: Factory) {
  return {
    /** `offline`: not connected. `breaker`: not asked, because the last calls failed. `slow`: no reply in time. */
    failures: create.counter(
      'console_redis_failures_total',
      'Calls of Redis without a reply that can be used, by cause: offline, breaker, slow or failed',
      ['cause'],
    ),
    up: create.gauge(
      'console_redis_up',
      '1 while the process is connected to Redis and Redis responds in time',
    ),
  }
}
