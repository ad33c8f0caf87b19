import { getHeapStatistics } from 'node:v8'
import underPressure from '@fastify/under-pressure'
import fp from 'fastify-plugin'
import { refusalProblem } from '../platform/limits/refusal.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Runs instead of a refusal while the process is overloaded. */
    pressureHandler?: () => void
  }
}

/** For routes that respond also while the process is overloaded. */
export const ALWAYS_RESPONDS = { pressureHandler: () => {} }

/** Of the heap that V8 may use. */
const MAX_HEAP_SHARE = 0.9

/** The event loop is late while the process starts. */
const WARM_UP_MS = 5_000

/** Refuses requests before other hooks run while the event loop or the heap of the process is overloaded. */
export const overload = fp(
  async (app, { maxEventLoopDelayMs }: { maxEventLoopDelayMs: number }) => {
    let isWarm = false
    app.addHook('onListen', async () => {
      setTimeout(() => (isWarm = true), WARM_UP_MS).unref()
    })
    await app.register(underPressure, {
      maxEventLoopDelay: maxEventLoopDelayMs,
      maxHeapUsedBytes: MAX_HEAP_SHARE * getHeapStatistics().heap_size_limit,
      pressureHandler: () => (isWarm ? Promise.reject(refusalProblem('overloaded')) : undefined),
    })
  },
  { name: 'overload' },
)
