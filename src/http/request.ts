import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { PERMISSIONS } from '../api/caller.ts'
import { UNSHOWABLE } from '../api/fields.ts'
import { ChangeReasonHeader, MAX_REASON_LENGTH, REASON_HEADER } from '../api/headers.ts'
import { isRead } from '../api/operation.ts'
import { RequestValidationError } from '../api/problem.ts'
import { containsCredential } from '../platform/crypto/credentials.ts'
import { ErrorList } from './validation/error-list.ts'

/** Adds the header with the reason to every operation that changes something, and stores its text in the caller. */
export const changeReason = fp(
  async (app) => {
    app.addHook('onRoute', (route) => {
      if (!isChange(route)) return
      const headers = (route.schema?.headers ?? { type: 'object' }) as { properties?: object }
      const properties = { ...headers.properties, [REASON_HEADER]: ChangeReasonHeader }
      route.schema = { ...route.schema, headers: { ...headers, properties } }
      route.preHandler = [readReason, ...[route.preHandler ?? []].flat()]
    })
  },
  { name: 'change-reason', dependencies: ['authentication'] },
)

/** Operations without a permission of the console belong to a service behind it. What leaves no record keeps no
 * reason. */
function isChange({ method, config }: RouteOptions): boolean {
  const needsPermission = (PERMISSIONS as readonly string[]).includes(config?.permission ?? '')
  return (
    needsPermission &&
    config?.isAudited !== false &&
    ![method].flat().some((name) => name === 'GET' || name === 'HEAD')
  )
}

async function readReason(request: FastifyRequest): Promise<void> {
  const header = request.headers[REASON_HEADER]
  const reason = header === undefined ? '' : parseReason(String(header))
  if (reason !== '') request.caller.reason = reason
}

function parseReason(header: string): string {
  const errors = new ErrorList()
  const loc = ['header', REASON_HEADER]
  const text = decode(header)
  if (text !== undefined) return checkReason(text, loc)
  errors.add(loc, 'value_error', 'must be UTF-8, with each % written as %25')
  throw new RequestValidationError(errors.errors)
}

/** Returns the reason without spaces around it. */
export function checkReason(given: string, loc: string[]): string {
  const errors = new ErrorList()
  const text = given.trim()
  if (Array.from(text).length > MAX_REASON_LENGTH) errors.add(loc, 'string_too_long', MAX_REASON_LENGTH)
  else if (UNSHOWABLE.test(text))
    errors.add(loc, 'value_error', 'a reason must not contain control characters')
  else if (containsCredential(text)) errors.add(loc, 'value_error', 'a reason must not contain a credential')
  if (errors.errors.length > 0) throw new RequestValidationError(errors.errors)
  return text
}

/** Node reads the bytes of a header as Latin-1. Undefined if they are no percent-encoded UTF-8. */
function decode(header: string): string | undefined {
  try {
    return decodeURIComponent(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(header, 'latin1')),
    )
  } catch {
    return undefined
  }
}

/** The operation of a mounted service that a request addresses. */
export interface MountedOperation {
  /** The path template of the operation; log and metrics show it in place of the wildcard route. */
  route: string
  service: string
  /** The permission that the services file asks for. */
  permission: string | undefined
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For the wildcard route of mounted services. Throws a 404 or 405 if no operation matches. */
    findMountedOperation?: (request: FastifyRequest) => MountedOperation
  }
  interface FastifyRequest {
    mountedOperation: MountedOperation | undefined
  }
}

/** Runs before authentication: an unknown path is a 404 with or without a token. */
export const mountedOperation = fp(
  async (app) => {
    app.decorateRequest('mountedOperation')
    app.addHook('onRequest', (request, _reply, done) => {
      try {
        request.mountedOperation = request.routeOptions.config.findMountedOperation?.(request)
        done()
      } catch (error) {
        done(error as Error)
      }
    })
  },
  { name: 'mounted-operation' },
)

/** The path template, never the path of the request: that may contain anything. */
export function routeOf({ mountedOperation, routeOptions, pathOfOtherMethods }: FastifyRequest): string {
  if (pathOfOtherMethods !== undefined) return pathOfOtherMethods
  if (mountedOperation) return mountedOperation.route
  return routeOptions.config.findMountedOperation ? 'unknown' : (routeOptions.url ?? 'unknown')
}

/** Safe to write to a log line and to a response header. */
const VALID_REQUEST_ID = /^[\w.:/+=-]{1,128}$/

/** Keeps a valid x-request-id of the client, so that one id follows a request through all services. */
export function createRequestId(newId: () => string) {
  return (request: IncomingMessage): string => {
    const given = request.headers['x-request-id']
    return typeof given === 'string' && VALID_REQUEST_ID.test(given) ? given : newId()
  }
}

/** How often a header was sent. Of several headers Node keeps the first, while a proxy in front may have read the
 * last. */
export function countHeaders({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === name) count++
  }
  return count
}

const JSON_MEDIA_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

export interface RawBody {
  readonly bytes: Buffer
  /** By its media type; a body without one counts as JSON. */
  readonly isJson: boolean
}

/** Reads bodies without parsing them: validation parses them against the schema. A body of another media type
 * fails validation. */
export const rawBody = fp(
  async (app) => {
    // Fastify rejects a malformed media type before a body parser runs. Its setter adds to the headers and does not
    // replace them; `request.raw` keeps the original ones.
    app.addHook('onRequest', (request, _reply, done) => {
      if (!isJson(request)) request.headers = { 'content-type': 'application/octet-stream' }
      done()
    })
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, keepRaw)
  },
  { name: 'raw-body' },
)

async function keepRaw(request: FastifyRequest, bytes: Buffer): Promise<RawBody | undefined> {
  return bytes.length === 0 ? undefined : { bytes, isJson: isJson(request) }
}

function isJson(request: FastifyRequest): boolean {
  const mediaType = request.headers['content-type']
  return mediaType === undefined || JSON_MEDIA_TYPE.test(mediaType)
}

/** Headers of every response, in the form of `reply.headers`. */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

export const ownHeaders = fp(
  async (app, { shutdown }: { shutdown: { hasBegun: boolean } }) => {
    /** Tells clients to open their next connection to another replica. */
    const announceClose = (reply: FastifyReply) => {
      if (shutdown.hasBegun) reply.header('connection', 'close')
    }
    // In onRequest, because the responses of mounted operations skip onSend.
    app.addHook('onRequest', (request, reply, done) => {
      reply.header('x-request-id', request.id).headers(SECURITY_HEADERS)
      announceClose(reply)
      done()
    })
    app.addHook('onSend', ({ method, routeOptions }, reply, payload, done) => {
      // The response to a write may contain the secrets of the request.
      const isOwnWrite = !isRead(method) && !routeOptions.config?.forwards
      if (isOwnWrite && !reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
      // Shutdown may have begun while the request was handled.
      announceClose(reply)
      done(null, payload)
    })
  },
  { name: 'own-headers' },
)
