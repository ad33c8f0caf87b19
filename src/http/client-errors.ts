import type { Socket } from 'node:net'
import { Problem, type ProblemCode } from '../contract/problem.ts'

const CODES: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

/** Answers what never became a request: bytes that are not HTTP, headers that do not end. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const problem = new Problem(CODES[error.code ?? ''] ?? 'bad_request')
  const body = JSON.stringify(problem.toBody())
  socket.end(
    `HTTP/1.1 ${problem.status} ${REASONS[problem.status]}\r\n` +
      'content-type: application/json; charset=utf-8\r\n' +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}
