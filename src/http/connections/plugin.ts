import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import fp from 'fastify-plugin'
import { countPassedBytes } from '../../platform/minor-gc.ts'
import type { ConnectionMetrics, CutOffCause } from '../../platform/observe/metrics/connections.ts'
import { onResponseEnd } from '../../platform/response-end.ts'
import { Connection } from './connection.ts'
import { createOccupancy } from './occupancy.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** All clients get the same buffer: a client that does not read it costs no memory. */
    hasSharedBody: boolean
  }
}

export interface ConnectionLimits {
  /** A further connection replaces an idle one of the team with the most, or is refused. */
  readonly max: number
  /** Bytes of responses that clients have not read yet, of all connections together. */
  readonly maxUnsentBytes: number
  /** A response is cut off when its client takes no byte for this long. */
  readonly stallMs: number
}

const MAX_CHECK_MS = 1_000

/** Smaller bodies mostly fit into the send buffer of the operating system. */
const LARGE_BYTES = 64 * 1024

/** Limits the memory that clients take which connect and do not read. */
export const connections = fp(
  async (app, { limits, metrics }: { limits: ConnectionLimits; metrics: ConnectionMetrics }) => {
    const open = new Map<Socket, Connection>()
    const occupancy = createOccupancy()
    /** Those that may hold memory. */
    const holding = new Set<Connection>()

    const forget = (connection: Connection) => {
      open.delete(connection.socket)
      holding.delete(connection)
      occupancy.remove(connection)
    }
    const cutOff = (connection: Connection, cause: CutOffCause) => {
      const { socket, log, team, heldBytes } = connection
      forget(connection)
      metrics.countCutOff(cause)
      log?.info({ cause, team_id: team, unsent_bytes: heldBytes }, 'response cut off')
      // A reset also frees the send buffer of the operating system, up to 4 MiB for each connection.
      socket.resetAndDestroy()
    }

    /** Cuts off responses of the team that holds the most memory, the longest stalled first. */
    const enforceBudget = () => {
      let excess = sumHeld(holding) - limits.maxUnsentBytes
      if (excess <= 0) return
      const now = performance.now()
      for (const connection of holding) connection.checkProgress(now)
      while (excess > 0) {
        const victim = chooseVictim(holding)
        if (!victim) return
        excess -= victim.heldBytes
        cutOff(victim, 'memory')
      }
    }

    const checkAll = () => {
      const now = performance.now()
      for (const connection of open.values()) {
        connection.checkProgress(now)
        if (connection.isSending && now - connection.progressAt >= limits.stallMs) {
          cutOff(connection, 'stalled')
        } else if (connection.heldBytes > 0) holding.add(connection)
        else holding.delete(connection)
      }
      enforceBudget()
    }

    /** Clients that connect and send nothing, or keep connections that they do not use, must not lock out the others.
     * Returns whether there is room now. */
    const makeRoom = () => {
      if (open.size < limits.max) return true
      metrics.countRefused()
      const replaced = occupancy.findReplaceable()
      if (!replaced) return false
      forget(replaced)
      replaced.socket.destroy()
      return true
    }

    // One more, for the connection that replaces another.
    app.server.maxConnections = limits.max + 1
    app.server.on('drop', () => metrics.countRefused())
    app.server.on('connection', (socket: Socket) => {
      if (!makeRoom()) {
        socket.destroy()
        return
      }
      const connection = new Connection(socket)
      open.set(socket, connection)
      occupancy.update(connection)
      socket.once('close', () => forget(connection))
    })
    // Not in a hook: a request has arrived even while an earlier hook waits for the keys of the issuer.
    app.server.on('request', ({ socket }: IncomingMessage) => {
      const connection = open.get(socket)
      if (connection) connection.hasRequest = true
    })
    metrics.observe({ open: () => open.size, unsentBytes: () => sumHeld(holding) })
    const checking = setInterval(checkAll, Math.min(MAX_CHECK_MS, limits.stallMs / 4)).unref()
    app.addHook('preClose', async () => {
      // Node counts a connection as idle only after its first request, and would wait for this one.
      for (const { socket, hasRequest } of open.values()) if (!hasRequest) socket.destroy()
    })
    app.addHook('onClose', async () => clearInterval(checking))

    app.decorateReply('hasSharedBody', false)
    app.addHook('onRequest', (request, _reply, done) => {
      const connection = open.get(request.raw.socket)
      if (connection) {
        connection.team = request.verified?.tenant
        connection.log = request.log
        occupancy.update(connection)
      }
      done()
    })
    const countServing = (connection: Connection, amount: 1 | -1) => {
      connection.serving += amount
      if (open.has(connection.socket)) occupancy.update(connection)
    }
    // Here and not in onRequest: a connection on which a body hardly arrives can be replaced.
    app.addHook('preValidation', (request, reply, done) => {
      const connection = open.get(request.raw.socket)
      if (connection) {
        countServing(connection, 1)
        onResponseEnd(reply.raw, () => countServing(connection, -1))
      }
      done()
    })
    app.addHook('onSend', (request, reply, payload: unknown, done) => {
      const connection = open.get(request.raw.socket)
      const length = lengthOf(payload)
      if (!connection || length < LARGE_BYTES) return done(null, payload)
      if (reply.hasSharedBody) connection.hasSharedBody = true
      else connection.largeBytes += length
      onResponseEnd(reply.raw, () => {
        if (reply.hasSharedBody) connection.hasSharedBody = false
        else connection.largeBytes -= length
      })
      holding.add(connection)
      // The rows from the database, mostly a text of them, and the body.
      countPassedBytes(3 * length)
      // After the body was handed to the connection.
      queueMicrotask(enforceBudget)
      // Node would allocate three times the length of a string.
      done(null, typeof payload === 'string' ? Buffer.from(payload) : payload)
    })
  },
  { name: 'connections' },
)

function sumHeld(connections: Iterable<Connection>): number {
  let bytes = 0
  for (const { heldBytes } of connections) bytes += heldBytes
  return bytes
}

function chooseVictim(holding: Iterable<Connection>): Connection | undefined {
  const byTeam = [...Map.groupBy(holding, ({ team }) => team).values()]
  const [largest = []] = byTeam.toSorted((a, b) => sumHeld(b) - sumHeld(a))
  return largest
    .filter(({ heldBytes }) => heldBytes > 0)
    .toSorted((a, b) => a.progressAt - b.progressAt)
    .at(0)
}

function lengthOf(payload: unknown): number {
  if (typeof payload === 'string') return Buffer.byteLength(payload)
  return payload instanceof Uint8Array ? payload.byteLength : 0
}
