import { type Factory, onScrape } from './factory.ts'

/** `offline`: not connected. `breaker`: not asked, because the last calls failed. `slow`: no reply in time. */
export type RedisFailure = 'offline' | 'breaker' | 'slow' | 'failed'

export interface RedisMetrics {
  countFailure: (cause: RedisFailure) => void
  /** Reads the state at each scrape. */
  observe: (isUp: () => boolean) => void
}

export function createRedisMetrics(create: Factory): RedisMetrics {
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
    countFailure: (cause) => failures.inc({ cause }),
    observe: (isUp) => onScrape(up, () => up.set(isUp() ? 1 : 0)),
  }
}
