import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../../api/problem.ts'
import { parseUuid } from '../../../api/uuid.ts'
import type { VerifiedToken } from '../../../http/auth/identity.ts'
import { isEventStream, UpstreamFailure } from '../../../platform/upstream/failure.ts'
import type { AuditFeature } from '../../audit/feature.ts'
import type { BudgetFeature } from '../../budgets/feature.ts'
import type { UserFeature } from '../../users/feature.ts'
import type { AgentParameter } from '../document/document.ts'
import { type ForwardedResponse, forward, type MountedService } from './forward.ts'
import type { Found, MountedTable } from './table.ts'

/** What the call of a mounted operation uses of other features. */
export interface MountDeps {
  audit: AuditFeature
  budgets: BudgetFeature
  users: UserFeature
}

export interface MountOptions {
  /** The current table. */
  table: () => MountedTable
  /** By name. */
  services: ReadonlyMap<string, MountedService>
}

const NO_DOCUMENT_YET = {
  detail:
    'The service behind this path has not published a valid document yet. ' +
    'Try again shortly; GET /v1/services gives the reason.',
  headers: { 'retry-after': '2' },
}

const NO_BYTES = Buffer.alloc(0)

/** Behind a proxy that adds the token, a browser shows the page of a service with the origin of the console: its
 * scripts could call every operation as the user. */
const WITHOUT_SCRIPTS = { 'content-security-policy': 'sandbox' }

/** One route for all mounted operations. It gets every path that no other route has. */
export const mountRoutes: FastifyPluginAsync<MountOptions & MountDeps> = async (app, options) => {
  const { table, services, audit, users } = options
  const { budgets } = options.budgets

  const findMountedOperation = ({ method, raw }: FastifyRequest) => {
    const found = table().find(method, raw.url ?? '')
    if ('operation' in found) {
      const { path: route, service } = found.operation.declared
      const { readPermission, writePermission } = services.get(service) ?? {}
      const permission = found.operation.isRead ? readPermission : writePermission
      return { ...found, route, service, permission }
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
    config: { permission: 'member', findMountedOperation },
    schema: { hide: true },
    handler: async (request, reply) => {
      const found = request.mountedOperation as ReturnType<typeof findMountedOperation>
      const service = services.get(found.service)
      if (!service) throw new Problem('upstream_unavailable', { headers: { 'retry-after': '60' } })
      // The upstream has its own deadline for a request that stalls.
      request.raw.socket.setTimeout(0)
      const { method, raw, caller } = request
      const { declared } = found.operation
      const agentId = readAgentId(found, raw)
      const permit =
        agentId === undefined
          ? undefined
          : await budgets.takeForCall({ teamId: caller.teamId, agentId, priority: service.budgetPriority })
      if (permit) reply.headers(permit.headers)
      const startedAt = performance.now()
      let wasSent = false
      const settle = (status: number) => {
        // A call that the console refused without sending it used nothing and changed nothing.
        if (!wasSent) permit?.refund()
        else if (!found.operation.isRead) {
          const durationMs = Math.round(performance.now() - startedAt)
          users.names.remember(caller)
          audit.recorder.recordCall({ caller, operation: declared, method, status, durationMs })
        }
      }
      const response = await forward(service, found, {
        request: raw,
        response: reply.raw,
        caller: { ...(request.verified as VerifiedToken), ...caller, token: request.token },
        onSent: () => {
          wasSent = true
        },
      }).catch((error: unknown) => {
        settle(error instanceof Problem ? error.status : 500)
        throw error
      })
      // Before the body, which may be endless: the record must not depend on how the client reads it.
      settle(response.status)
      await send(request, reply, { ...response, own: permit?.headers }, eventStreams)
    },
  })
}

/** Streams the response to the client. If the upstream aborts, the client connection is closed; the client has no
 * other way to see that the response is incomplete. */
async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  response: ForwardedResponse & { own: Record<string, string> | undefined },
  eventStreams: Set<() => void>,
): Promise<void> {
  const { status, headers, returned, body, finish } = response
  reply.hijack()
  const isEndless = isEventStream(headers)
  // Turns off response buffering in nginx.
  if (isEndless) reply.header('x-accel-buffering', 'no')
  const set = reply.getHeaders() as Record<string, string>
  reply.raw.writeHead(status, { ...set, ...returned, ...response.own, ...WITHOUT_SCRIPTS })
  // Sends the head before the first event. flushHeaders would encode header bytes as UTF-8.
  if (body.readableLength === 0) reply.raw.write(NO_BYTES)
  const release = isEndless ? request.endWithToken(finish) : undefined
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
    release?.()
    eventStreams.delete(finish)
  }
}

/** The id of the agent in a request. Undefined if the operation declares none, or if the request has no UUID there. A
 * request that has the parameter more than once is refused: the service could read another id than the console. */
function readAgentId({ operation, params }: Found, request: IncomingMessage): string | undefined {
  const { agent } = operation.declared
  if (!agent) return undefined
  const [value, ...more] = valuesOf(agent)
  if (more.length > 0) {
    const detail = `The request has the parameter ${agent.name} more than once. Send it once.`
    throw new Problem('bad_request', { detail })
  }
  const parsed = parseUuid(value ?? '')
  return parsed.ok ? parsed.uuid : undefined

  function valuesOf({ in: place, name }: AgentParameter): (string | undefined)[] {
    if (place === 'path') return [params[`p${operation.parameterNames.indexOf(name)}`]]
    if (place === 'header') return request.headersDistinct[name] ?? []
    return new URLSearchParams(/\?([^#]*)/.exec(request.url ?? '')?.[1]).getAll(name)
  }
}
