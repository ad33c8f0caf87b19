import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, json, refusal, send } from '../../../dev/services/answer.ts'
import { proposalStatus } from '../../../dev/services/evolution/status.ts'
import type { ReceivedRequest } from '../../../dev/services/received.ts'
import { GIBIBYTE, gzipBomb, streamFiller } from './bulk.ts'
import type { MisbehaviourOptions, Mode } from './misbehaviour.ts'

interface Exchange {
  request: ReceivedRequest
  response: ServerResponse
  socket: Socket
  /** Sends the response that the service sends without a fault. */
  behave: () => Promise<void>
  /** The response of `echo` to a GET. */
  canned: Answer
}

type Fault = (exchange: Exchange, options: MisbehaviourOptions) => Promise<void> | void

/** A client that follows the redirect would send its token to another host: requests to this path are counted. */
export const REDIRECT_TARGET = '/_redirected'

const JSON_TYPE = { 'content-type': 'application/json' }

/** A valid body: only the rest of the response is broken. */
const plausible = Buffer.from(JSON.stringify(proposalStatus('01940b5e-7f4c-7a3b-9c1d-2e3f4a5b6c7d')))
const half = plausible.subarray(0, plausible.length / 2)

export const FAULTS: Record<Mode, Fault> = {
  slow: async ({ response, behave }, { delayMs = 1_000 }) => {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const waited = await delay(delayMs, true, { signal: gone.signal }).catch(() => false)
    if (waited) await behave()
  },
  hang: () => {},
  hang_half_way: ({ response }) => {
    response.writeHead(200, { ...JSON_TYPE, 'content-length': plausible.length }).write(half)
  },

  // Internal details that must not reach the client of the console.
  error_500: ({ response }) => send(response, refusal(500, 'Traceback: evolution-db.internal:5432 refused')),
  error_503: ({ response }) =>
    send(response, refusal(503, 'evolution-worker.internal is overloaded', { 'retry-after': '7' })),
  error_4xx: ({ response }, { status = 400, headers }) =>
    send(response, refusal(status, `The evolution service refuses with ${status}`, headers)),
  redirect: ({ response }) => send(response, json(302, { state: 'moved' }, { location: REDIRECT_TARGET })),

  html: ({ response }) =>
    send(response, {
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: Buffer.from('<!doctype html><title>Sign in</title><p>Sign in to go on.</p>'),
    }),
  array: ({ response }) => send(response, json(200, [{ state: 'idle' }])),
  empty: ({ response }) => send(response, { status: 204, headers: {}, body: Buffer.alloc(0) }),

  truncated_chunk: ({ socket }) => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n'
    const chunk = `${plausible.length.toString(16)}\r\n${half.toString()}`
    socket.write(head + chunk, () => socket.destroy())
  },
  wrong_length: ({ response, socket }, { by = 10 }) => {
    const surplus = Buffer.alloc(Math.max(0, -by), 'x')
    response
      .writeHead(200, { ...JSON_TYPE, 'content-length': plausible.length + Math.max(0, by) })
      .end(Buffer.concat([plausible, surplus]))
    // With a surplus the connection stays open: the client must not read the surplus as the next response.
    if (by > 0) response.once('finish', () => socket.end())
  },
  gigabyte: ({ response }, { bytes = GIBIBYTE }) => streamFiller(response, bytes),
  gzip_bomb: ({ response }, { bytes = GIBIBYTE }) =>
    send(response, {
      status: 200,
      headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
      body: gzipBomb(bytes),
    }),

  reset: ({ socket }) => {
    socket.resetAndDestroy()
  },
  // Applied to connections, before there is a request.
  reset_on_connect: () => {},
  garbage: ({ socket }) => {
    socket.end(Buffer.from('\u0016\u0003\u0001 this is not HTTP \u0000\u00ff\r\n', 'latin1'))
  },

  echo: ({ request, response, canned }) =>
    send(
      response,
      request.method === 'GET' ? canned : { status: 200, headers: JSON_TYPE, body: request.body },
    ),
}
