import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Problem } from '../contract/problem.ts'
import type { ProblemCode } from '../contract/problem-codes.ts'
import { RequestValidationError } from '../contract/validation-error.ts'

const FASTIFY_ERRORS: Record<string, ProblemCode> = {
  FST_ERR_BAD_URL: 'bad_request',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'bad_request',
}

/** The only place that turns an error into a response. */
export const errorHandler = fp(
  async (app) => {
    // In onRequest, so that the body of a request without a route is not read.
    app.addHook('onRequest', (request, _reply, done) => {
      done(request.is404 ? new Problem('not_found') : undefined)
    })
    app.setNotFoundHandler(() => {
      throw new Problem('not_found')
    })
    app.setErrorHandler(sendError)
  },
  { name: 'error-handler' },
)

export function sendError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof RequestValidationError) return reply.code(422).send({ detail: error.errors })
  const problem = error instanceof Problem ? error : problemFromFastify(error)
  // Overload is no fault of one request, and its log lines would add to it: the access log and a metric count it.
  if (problem.status >= 500 && problem.code !== 'overloaded') {
    request.log.error({ err: problem.cause ?? problem, code: problem.code }, 'request failed')
  }
  return reply.code(problem.status).headers(problem.headers).send(problem.toBody())
}

function problemFromFastify(error: Error): Problem {
  const { code, statusCode = 500 } = error as FastifyError
  // Fastify also reports an incomplete request body as a 4xx.
  const fallback = statusCode >= 400 && statusCode < 500 ? 'bad_request' : 'internal'
  return new Problem(FASTIFY_ERRORS[code] ?? fallback, { cause: error })
}
