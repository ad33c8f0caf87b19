import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { Problem } from '../contract/problem.ts'
import type { ProblemCode } from '../contract/problem-codes.ts'
import { RequestInvalid } from '../contract/validation-error.ts'

/** What Fastify itself refuses, in our words. */
const FASTIFY_ERRORS: Record<string, ProblemCode> = {
  FST_ERR_BAD_URL: 'bad_request',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'bad_request',
}

/** The one place where an error becomes an answer. */
export const errors = fp(
  async (app) => {
    // At once, before anybody reads a body that no route asked for.
    app.addHook('onRequest', async (request) => {
      if (request.is404) throw new Problem('not_found')
    })
    app.setNotFoundHandler(() => {
      throw new Problem('not_found')
    })
    app.setErrorHandler(answerError)
  },
  { name: 'errors' },
)

export function answerError(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof RequestInvalid) return reply.code(422).send({ detail: error.faults })
  const problem = error instanceof Problem ? error : toProblem(error)
  if (problem.status >= 500) {
    request.log.error({ err: problem.cause ?? problem, code: problem.code }, 'request failed')
  }
  return reply.code(problem.status).headers(problem.headers).send(problem.toBody())
}

function toProblem(error: Error): Problem {
  const { code, statusCode = 500 } = error as FastifyError
  // Fastify marks so, too, a body that its sender broke off: not a failure of ours.
  const otherwise = statusCode >= 400 && statusCode < 500 ? 'bad_request' : 'internal'
  return new Problem(FASTIFY_ERRORS[code] ?? otherwise, { cause: error })
}
