import { METHODS as NODE_METHODS } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import fp from 'fastify-plugin'
import createRouter from 'find-my-way'
import { Problem, RequestValidationError } from '../../api/problem.ts'
import type { ProblemCode } from '../../api/problem-codes.ts'
import { countHeaders, SECURITY_HEADERS } from '../request.ts'

const FASTIFY_ERRORS: Record<string, ProblemCode> = {
  FST_ERR_BAD_URL: 'bad_request',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'bad_request',
}

/** The only place that turns an error into a response. */
export const errorHandler = fp(
  async (app) => {
    // In onRequest, so that the body of such a request is not read.
    app.addHook('onRequest', ({ is404, raw }, _reply, done) => {
      if (is404) return done(new Problem('not_found'))
      // RFC 9112 section 3.2. Node itself would respond without a problem body, or accept two.
      const hosts = countHeaders(raw, 'host')
      const isBad = hosts > 1 || (hosts === 0 && raw.httpVersion === '1.1')
      done(isBad ? new Problem('bad_request') : undefined)
    })
    // Ignore an unknown Expect header (RFC 9110 section 10.1.1).
    app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
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

const CODES: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

const HEADERS = Object.entries(SECURITY_HEADERS)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('')

/** Responds when Node could not parse a request, for example because its headers are too large. */
export function handleClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const problem = new Problem(CODES[error.code ?? ''] ?? 'bad_request')
  const body = JSON.stringify(problem.toBody())
  socket.end(
    `HTTP/1.1 ${problem.status} ${REASONS[problem.status]}\r\n` +
      `${HEADERS}content-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}

/** Common methods first: the Allow header keeps this order. Node never emits CONNECT as a request. */
const METHODS = [
  ...new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', ...NODE_METHODS]),
].filter((method) => method !== 'CONNECT')

/** Refuses the methods that a path does not have. They are looked up among all paths, once no route was found: a route
 * for each of them would take a third of the CPU time of a start. */
export const methodNotAllowed = fp(
  async (app) => {
    const methodsByPath = new Map<string, Set<HTTPMethods>>()
    const paths = createRouter(app.initialConfig.routerOptions)
    for (const method of METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method)
    app.addHook('onRoute', ({ url, method, config }) => {
      const path = url.replace(/(?<=.)\/$/, '')
      const methods = methodsByPath.get(path) ?? new Set()
      const isMounted = config?.findMountedOperation !== undefined
      if (methods.size === 0 && !isMounted) paths.on('GET', path, () => {}, path)
      methodsByPath.set(path, methods)
      for (const one of [method].flat()) methods.add(one)
    })
    app.decorate('methodsByPath', methodsByPath)
    const allow = (path: string) =>
      METHODS.filter((method) => methodsByPath.get(path)?.has(method)).join(', ')
    app.decorate('allowedMethods', allow)

    app.decorateRequest('pathOfOtherMethods', undefined)
    // Before authentication and before the body is read: neither can change the response.
    app.addHook('onRequest', (request, _reply, done) => {
      const path = hasNoRoute(request)
        ? (paths.find('GET', request.url)?.store as string | undefined)
        : undefined
      if (path === undefined) return done()
      request.pathOfOtherMethods = path
      done(new Problem('method_not_allowed', { headers: { allow: allow(path) } }))
    })
  },
  { name: 'method-not-allowed' },
)

/** The route of all mounted operations takes every path that no other route has. */
function hasNoRoute({ is404, routeOptions }: FastifyRequest): boolean {
  return is404 || routeOptions.config.findMountedOperation !== undefined
}

declare module 'fastify' {
  interface FastifyInstance {
    methodsByPath: ReadonlyMap<string, ReadonlySet<HTTPMethods>>
    /** The Allow header of a path, such as `GET, HEAD`. */
    allowedMethods: (path: string) => string
  }
  interface FastifyRequest {
    /** The template of the path, if it has other methods than that of the request. */
    pathOfOtherMethods: string | undefined
  }
}
