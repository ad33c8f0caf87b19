import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Logger } from 'pino'
import type { TSchema } from 'typebox'
import type { Metrics } from '../platform/metrics.ts'
import { accessLog } from './access-log.ts'
import { arrival } from './arrival.ts'
import { type AuthenticationOptions, authentication } from './authenticate.ts'
import { answerClientError, clientErrors } from './client-errors.ts'
import { content } from './content.ts'
import { draining } from './draining.ts'
import { answerError, errors } from './errors.ts'
import { locating } from './locate.ts'
import { methods } from './methods.ts'
import { createRequestId, requestId } from './request-id.ts'
import { validation } from './validation.ts'

const BODY_LIMIT_BYTES = 1024 * 1024

const TIMEOUTS = {
  /** See arrival.ts. */
  requestTimeout: 0,
  connectionTimeout: 60_000,
  /** Longer than the idle time of common load balancers, so that they close first and never race us. */
  keepAliveTimeout: 75_000,
}

export interface ServerOptions extends AuthenticationOptions {
  log: Logger
  newId: () => string
  metrics: Metrics
  shutdown: { begun: boolean }
  schemas: (TSchema & { $id?: string })[]
}

/** The server with all its policy and none of its routes. */
export async function createServer(options: ServerOptions) {
  const { log, newId, metrics, shutdown, schemas } = options
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: createRequestId(newId),
    bodyLimit: BODY_LIMIT_BYTES,
    ...TIMEOUTS,
    http: { headersTimeout: 10_000, requireHostHeader: false },
    // A path parameter is checked by its schema, whatever its length.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 16_384 },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      reply.header('x-request-id', request.id)
      answerError(error, request, reply)
    },
    return503OnClosing: false,
    // The reference page would answer its own path without a slash by a redirect.
    rewriteUrl: ({ url = '/' }) => (url === '/docs' ? '/docs/' : url),
  }).withTypeProvider<TypeBoxTypeProvider>()

  for (const schema of schemas) app.addSchema(schema)
  await app.register(requestId)
  await app.register(accessLog, { metrics })
  await app.register(draining, { shutdown })
  await app.register(errors)
  await app.register(clientErrors)
  await app.register(methods)
  await app.register(locating)
  await app.register(arrival)
  await app.register(authentication, options)
  await app.register(content)
  await app.register(validation, { schemas })
  return app
}
