import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Logger } from 'pino'
import type { TSchema } from 'typebox'
import type { Metrics } from '../platform/observe/metrics.ts'
import { accessLog } from './access-log.ts'
import { type AuthenticationOptions, authentication } from './authenticate.ts'
import { changeReason } from './change-reason.ts'
import { closeOnShutdown } from './close-on-shutdown.ts'
import { compression } from './compression.ts'
import { errorHandler, sendError } from './error-handler.ts'
import { handleClientError, malformedRequests } from './malformed-requests.ts'
import { methodNotAllowed } from './method-not-allowed.ts'
import { mountedOperation } from './mounted-operation.ts'
import { overload } from './overload.ts'
import { rawBody } from './raw-body.ts'
import { createRequestId, requestId } from './request-id.ts'
import { SECURITY_HEADERS, securityHeaders } from './security-headers.ts'
import { createSerializerCompiler } from './serializers.ts'
import { tracing } from './tracing.ts'
import { validation } from './validation/plugin.ts'

const BODY_LIMIT_BYTES = 1024 * 1024

export const MAX_CONNECTIONS = 10_000

const TIMEOUTS = {
  /** Of a whole request, and so long because a large upload of a mounted operation may be slow. A proxy in front ends slow
   * requests sooner. */
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
  await app.register(tracing)
  await app.register(requestId)
  await app.register(securityHeaders)
  await app.register(overload, options)
  await app.register(compression)
  await app.register(accessLog, { metrics })
  await app.register(closeOnShutdown, { shutdown })
  // Before the error handler, whose hook ends every other request without a route.
  await app.register(methodNotAllowed)
  await app.register(errorHandler)
  await app.register(malformedRequests)
  await app.register(mountedOperation)
  await app.register(authentication, options)
  await app.register(rawBody)
  // Before the validation, which reads the headers that a route declares.
  await app.register(changeReason)
  await app.register(validation, { schemas })
  return app
}
