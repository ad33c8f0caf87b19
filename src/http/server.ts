import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Logger } from 'pino'
import type { TSchema } from 'typebox'
import type { Lanes } from '../platform/fairness/lanes.ts'
import type { SharedBudget } from '../platform/fairness/shared-budget.ts'
import type { Metrics } from '../platform/observe/metrics.ts'
import { accessLog } from './access-log.ts'
import { type AuthenticationOptions, authentication } from './authenticate.ts'
import { changeReason } from './change-reason.ts'
import { closeOnShutdown } from './close-on-shutdown.ts'
import { compression } from './compression.ts'
import { type ConnectionLimits, connections } from './connections/plugin.ts'
import { errorHandler, sendError } from './error-handler.ts'
import { fairShares } from './fair-shares.ts'
import { intake } from './intake.ts'
import { handleClientError, malformedRequests } from './malformed-requests.ts'
import { methodNotAllowed } from './method-not-allowed.ts'
import { mountedOperation } from './mounted-operation.ts'
import { rawBody } from './raw-body.ts'
import { createRequestId, requestId } from './request-id.ts'
import { requestMemory } from './request-memory.ts'
import { requestTimeout } from './request-timeout.ts'
import { SECURITY_HEADERS, securityHeaders } from './security-headers.ts'
import { createSerializerCompiler } from './serializers.ts'
import { tracing } from './tracing.ts'
import { validation } from './validation/plugin.ts'

const BODY_LIMIT_BYTES = 1024 * 1024

const TIMEOUTS = {
  /** See request-timeout.ts. */
  requestTimeout: 0,
  connectionTimeout: 60_000,
  /** Longer than the idle timeout of common load balancers: a connection must not close while they send a request
   * on it. */
  keepAliveTimeout: 75_000,
}

export interface ServerOptions extends AuthenticationOptions {
  log: Logger
  newId: () => string
  metrics: Metrics
  lanes: Lanes
  shutdown: { hasBegun: boolean }
  schemas: (TSchema & { $id?: string })[]
  connectionLimits: ConnectionLimits
  requestMemory: SharedBudget
}

/** The server with its plugins, without routes. */
export async function createServer(options: ServerOptions) {
  const { log, newId, metrics, lanes, shutdown, schemas, connectionLimits } = options
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

  for (const schema of schemas) app.addSchema(schema)
  app.setSerializerCompiler(createSerializerCompiler(schemas))
  await app.register(tracing)
  await app.register(requestId)
  await app.register(securityHeaders)
  await app.register(compression)
  await app.register(accessLog, { metrics })
  await app.register(closeOnShutdown, { shutdown })
  // Before the error handler, whose hook ends every other request without a route.
  await app.register(methodNotAllowed)
  await app.register(errorHandler)
  await app.register(malformedRequests)
  await app.register(mountedOperation)
  await app.register(requestTimeout)
  await app.register(authentication, options)
  const laneMetrics = metrics.lanes(lanes)
  await app.register(intake, { lanes, laneMetrics, metrics, newRequestId, shutdown })
  await app.register(fairShares, { lanes, laneMetrics })
  await app.register(requestMemory, { memory: options.requestMemory })
  await app.register(rawBody)
  // Before the validation, which reads the headers that a route declares.
  await app.register(changeReason)
  await app.register(validation, { schemas })
  // Last: its onSend hook sees the body that is sent.
  await app.register(connections, { limits: connectionLimits, metrics: metrics.connections() })
  return app
}
