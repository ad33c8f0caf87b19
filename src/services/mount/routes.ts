import { pipeline } from 'node:stream/promises'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../contract/problem.ts'
import { scheduleAt } from '../../platform/schedule.ts'
import { UpstreamFailure } from '../../platform/upstream/failure.ts'
import { isEventStream } from '../../platform/upstream/headers.ts'
import type { DeclaredOperation } from '../operation.ts'
import { type Asker, forward, type MountedService, type Passed } from './forward.ts'
import { isComparable, sample } from './sample.ts'
import type { MountedTable } from './table.ts'

export interface MountOptions {
  /** Replaced as a whole when what the services declare has changed. */
  mounted: { current: MountedTable }
  /** By name. */
  services: ReadonlyMap<string, MountedService>
  /** Gets the bytes of a sampled share of answers, after they were passed on. */
  observeAnswer?: (operation: DeclaredOperation, status: number, contentType: string, bytes: Buffer) => void
}

/** Nobody can say that there is no such operation. */
const NOT_READ_YET = {
  detail:
    'The service behind this path has not published a document that can be used. ' +
    'Try again shortly; GET /v1/services says why.',
  headers: { 'retry-after': '2' },
}

const NO_BYTES = Buffer.alloc(0)

/** How long a caller may leave bytes of an answer unread. */
const READER_PATIENCE_MS = 60_000

/** One route for whatever the services declare at the moment. Every path that nobody else has ends here. */
export const mountRoutes: FastifyPluginAsync<MountOptions & { now: () => number }> = async (app, options) => {
  const { mounted, services, observeAnswer, now } = options

  const findMountedOperation = ({ method, raw }: FastifyRequest) => {
    const found = mounted.current.find(method, raw.url ?? '')
    if ('operation' in found) {
      const { path: route, service } = found.operation.declared
      return { ...found, route, service }
    }
    if (found.allow.length > 0) {
      throw new Problem('method_not_allowed', { headers: { allow: found.allow.join(', ') } })
    }
    throw found.isAwaited ? new Problem('upstream_unavailable', NOT_READ_YET) : new Problem('not_found')
  }

  /** Event streams under way: nothing but the end of the console ends some of them. */
  const endless = new Set<() => void>()
  app.addHook('preClose', async () => {
    for (const finish of endless) finish()
  })
  app.removeAllContentTypeParsers()
  // The body stays where it is until the service reads it.
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
      const answer = await forward(service, found, askerOf(request, reply))
      const hasBody = request.method !== 'HEAD' && answer.status !== 304
      if (observeAnswer && hasBody && isComparable(answer.headers) && Math.random() < service.sampleRatio) {
        const contentType = answer.headers['content-type'] ?? ''
        sample(answer.body, (bytes) =>
          observeAnswer(found.operation.declared, answer.status, contentType, bytes),
        )
      }
      await pass(request, reply, answer, endless, now)
    },
  })
}

function askerOf(request: FastifyRequest, reply: FastifyReply): Asker {
  // What stands still while the service is asked is noticed there, by its own deadline.
  request.raw.socket.setTimeout(0)
  return {
    token: request.token,
    requestId: request.id,
    request: request.raw,
    response: reply.raw,
  }
}

/** Sends an answer as it comes. One that breaks off takes the connection along: nothing else tells a caller that it is not
 * complete. */
async function pass(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Passed,
  endless: Set<() => void>,
  now: () => number,
): Promise<void> {
  const { status, headers, returned, body, finish } = answer
  reply.hijack()
  reply.raw.writeHead(status, { ...(reply.getHeaders() as Record<string, string>), ...returned })
  // Whoever waits for events learns at once that there are none yet. flushHeaders would send the bytes of a header as UTF-8.
  if (body.readableLength === 0) reply.raw.write(NO_BYTES)
  const isEndless = isEventStream(headers)
  if (!isEndless) request.raw.socket.setTimeout(READER_PATIENCE_MS)
  const expiry = isEndless ? scheduleAt(now, (request.verified?.expiresAt ?? 0) * 1_000, finish) : undefined
  if (isEndless) endless.add(finish)
  try {
    await pipeline(body, reply.raw)
  } catch (error) {
    const { method, mountedOperation } = request
    const kind = error instanceof UpstreamFailure ? error.kind : 'client_disconnected'
    // Clients disconnect from event streams all the time: that is no failure.
    request.log[kind === 'client_disconnected' ? 'info' : 'warn'](
      { method, route: mountedOperation?.route, service: mountedOperation?.service, status, kind },
      'answer broke off',
    )
  } finally {
    expiry?.cancel()
    endless.delete(finish)
  }
}
