import { type Factory, onScrape } from './factory.ts'

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
