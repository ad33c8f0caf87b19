import { getHeapStatistics } from 'node:v8'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import underPressure from '@fastify/under-pressure'
import Fastify, { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import fp from 'fastify-plugin'
import type { Logger } from 'pino'
import type { TSchema } from 'typebox'
import { refusalProblem } from '../platform/limits/share.ts'
import type { Metrics } from '../platform/observe/metrics.ts'
import type { TracingSettings } from '../platform/observe/tracing.ts'
import { type AuthenticationOptions, authentication } from './auth/authenticate.ts'
import { compression } from './compression.ts'
import { errorHandler, handleClientError, methodNotAllowed, sendError } from './errors/error-handler.ts'
import { accessLog, tracing } from './observe.ts'
import {
  changeReason,
  createRequestId,
  mountedOperation,
  ownHeaders,
  rawBody,
  SECURITY_HEADERS,
} from './request.ts'
import { createSerializerCompiler, validation } from './validation/plugin.ts'

const BODY_LIMIT_BYTES = 1024 * 1024

export const MAX_CONNECTIONS = 10_000

const TIMEOUTS = {
  /** Of a whole request: a large upload of a mounted operation may be slow. A proxy in front ends slow requests
   * sooner. */
  requestTimeout: 300_000,
  /** Of a connection on which nothing moves. */
  connectionTimeout: 60_000,
  /** Longer than the idle timeout of common load balancers: a connection must not close while they send a request
   * on it. */
  keepAliveTimeout: 75_000,
}

export interface ServerOptions extends AuthenticationOptions {
  log: Logger
  newId: () => string
  metrics: Metrics
  shutdown: { hasBegun: boolean }
  maxEventLoopDelayMs: number
  /** Undefined if requests are not traced. */
  tracing: TracingSettings | undefined
  schemas: (TSchema & { $id?: string })[]
}

/** The server with its plugins, without routes. */
export async function createServer(options: ServerOptions) {
  const { log, newId, metrics, shutdown, schemas } = options
  const newRequestId = createRequestId(newId)
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: newRequestId,
    bodyLimit: BODY_LIMIT_BYTES,
    ...TIMEOUTS,
    // Node looks for connections whose headers are late only at this interval, by default every 30 s.
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 2_000, requireHostHeader: false },
    // Large enough that a long path parameter reaches schema validation instead of a 404.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 16_384 },
    clientErrorHandler: handleClientError,
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      reply.headers({ ...SECURITY_HEADERS, 'x-request-id': request.id })
      sendError(error, request, reply)
    },
    return503OnClosing: false,
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.server.maxConnections = MAX_CONNECTIONS
  for (const schema of schemas) app.addSchema(schema)
  app.setSerializerCompiler(createSerializerCompiler(schemas))
  if (options.tracing) await app.register(tracing)
  await app.register(ownHeaders, { shutdown })
  await app.register(overload, options)
  await app.register(compression)
  await app.register(accessLog, { metrics })
  // Before the error handler, whose hook ends every other request without a route.
  await app.register(methodNotAllowed)
  await app.register(errorHandler)
  await app.register(mountedOperation)
  await app.register(authentication, options)
  await app.register(rawBody)
  // Before the validation, which reads the headers that a route declares.
  await app.register(changeReason)
  await app.register(validation, { schemas })
  return app
}

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
const overload = fp(
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
