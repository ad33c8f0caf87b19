import type { Socket } from 'node:net'
import fp from 'fastify-plugin'
import { Problem } from '../contract/problem.ts'
import type { ProblemCode } from '../contract/problem-codes.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

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

/** Handles two kinds of request that Node would reject itself, without a problem body. */
export const malformedRequests = fp(
  async (app) => {
    app.addHook('onRequest', ({ raw }, _reply, done) => {
      // RFC 9112 section 3.2.
      const lacksHost = raw.headers.host === undefined && raw.httpVersion === '1.1'
      done(lacksHost ? new Problem('bad_request') : undefined)
    })
    // Ignore an unknown Expect header (RFC 9110 section 10.1.1).
    app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  },
  { name: 'malformed-requests' },
)
