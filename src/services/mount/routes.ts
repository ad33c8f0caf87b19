import { pipeline } from 'node:stream/promises'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../contract/problem.ts'
import { scheduleAt } from '../../platform/schedule.ts'
import type { SharedBudget } from '../../platform/shared-budget.ts'
import { UpstreamFailure } from '../../platform/upstream/failure.ts'
import { isEventStream } from '../../platform/upstream/headers.ts'
import type { DeclaredOperation } from '../document/prepared.ts'
import { type ForwardedResponse, forward, type MountedService } from './forward.ts'
import { isCheckable, sample } from './sample.ts'
import type { MountedTable } from './table.ts'

export interface MountOptions {
  /** The current table. */
  table: () => MountedTable
  /** By name. */
  services: ReadonlyMap<string, MountedService>
  /** Called with the body of each sampled response, after it was forwarded. */
  observeResponse?: (operation: DeclaredOperation, status: number, contentType: string, bytes: Buffer) => void
}

const NO_DOCUMENT_YET = {
  detail:
    'The service behind this path has not published a valid document yet. ' +
    'Try again shortly; GET /v1/services gives the reason.',
  headers: { 'retry-after': '2' },
}

const NO_BYTES = Buffer.alloc(0)

/** One route for all mounted operations. It gets every path that no other route has. */
export const mountRoutes: FastifyPluginAsync<
  MountOptions & { now: () => number; requestMemory: SharedBudget }
> = async (app, options) => {
  const { table, services, observeResponse, now, requestMemory: memory } = options

  const findMountedOperation = ({ method, raw }: FastifyRequest) => {
    const found = table().find(method, raw.url ?? '')
    if ('operation' in found) {
      const { path: route, service } = found.operation.declared
      return { ...found, route, service }
    }
    if (found.allow.length > 0) {
      throw new Problem('method_not_allowed', { headers: { allow: found.allow.join(', ') } })
    }
    throw found.isPending ? new Problem('upstream_unavailable', NO_DOCUMENT_YET) : new Problem('not_found')
  }

  /** Ends the open event streams: the service may never end them. */
  const eventStreams = new Set<() => void>()
  app.addHook('preClose', async () => {
    for (const finish of eventStreams) finish()
  })
  app.removeAllContentTypeParsers()
  // The body is streamed to the service without parsing.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.route({
    method: app.supportedMethods,
    url: '/*',
    config: { permission: 'authenticated', findMountedOperation, streams: true },
    schema: { hide: true },
    handler: async (request, reply) => {
      const found = request.mountedOperation as ReturnType<typeof findMountedOperation>
      const service = services.get(found.service)
      if (!service) throw new Problem('upstream_unavailable', { headers: { 'retry-after': '60' } })
      // The upstream has its own deadline for a request that stalls.
      request.raw.socket.setTimeout(0)
      const { token, id: requestId, raw } = request
      const team = request.verified?.tenant ?? ''
      const context = { team, memory, token, requestId, request: raw, response: reply.raw }
      const response = await forward(service, found, context)
      const { status, headers, body } = response
      const hasBody = request.method !== 'HEAD' && status !== 304
      if (observeResponse && hasBody && isCheckable(headers) && Math.random() < service.sampleRatio) {
        const { declared } = found.operation
        sample(body, (bytes) => observeResponse(declared, status, headers['content-type'] ?? '', bytes))
      }
      await send(request, reply, response, eventStreams, now)
    },
  })
}

/** Streams the response to the client. If the upstream aborts, the client connection is closed; the client has no
 * other way to see that the response is incomplete. */
async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  response: ForwardedResponse,
  eventStreams: Set<() => void>,
  now: () => number,
): Promise<void> {
  const { status, headers, returned, body, finish } = response
  reply.hijack()
  reply.raw.writeHead(status, { ...(reply.getHeaders() as Record<string, string>), ...returned })
  // Sends the head before the first event. flushHeaders would encode header bytes as UTF-8.
  if (body.readableLength === 0) reply.raw.write(NO_BYTES)
  const isEndless = isEventStream(headers)
  const expiry = isEndless ? scheduleAt(now, (request.verified?.expiresAt ?? 0) * 1_000, finish) : undefined
  if (isEndless) eventStreams.add(finish)
  try {
    await pipeline(body, reply.raw)
  } catch (error) {
    const { method, mountedOperation } = request
    const kind = error instanceof UpstreamFailure ? error.kind : 'client_disconnected'
    // Clients end most event streams by disconnecting.
    request.log[kind === 'client_disconnected' ? 'info' : 'warn'](
      { method, route: mountedOperation?.route, service: mountedOperation?.service, status, kind },
      'response aborted',
    )
  } finally {
    expiry?.cancel()
    eventStreams.delete(finish)
  }
}
