import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onFreePort } from '../free-port.ts'
import { listen, stopListening } from '../issuer/listen.ts'
import { type Answer, json, refusal, send } from './answer.ts'
import { control, isControl } from './control.ts'
import { FAULTS, REDIRECT_TARGET } from './faults.ts'
import { createMisbehaviour, type MisbehaviourOptions, MODES, type Mode } from './misbehaviour.ts'
import { type ReceivedRequest, receive } from './received.ts'
import { createRoutes } from './routes.ts'
import { watchSockets } from './sockets.ts'
import { createTokenCheck } from './token.ts'

export interface EvolutionServiceOptions {
  issuer: string
  audience: string
  /** A free one below 32768 when absent or 0. */
  port?: number
  host?: string
  /** Where the ids of the demonstration's agents are written. */
  fleetFile?: string | undefined
  /** False keeps no requests. True when absent. */
  record?: boolean
}

export interface EvolutionService {
  readonly url: string
  readonly port: number
  /** Those received whole, in the order in which they were complete; not those to `/_misbehave`. */
  requests(): ReceivedRequest[]
  clearRequests(): void
  /** How often somebody went where `redirect` sent him. */
  redirectsFollowed(): number
  openSockets(): number
  totalConnections(): number
  /** Sent on all connections so far, with what still waits here because nobody reads it. */
  bytesWritten(): number
  /** Before the token is looked at, for every request from now on; null to behave again. What hangs already
   * goes on hanging. */
  misbehave(mode: Mode | null, options?: MisbehaviourOptions): void
  /** What `echo` answers to a GET: exactly these bytes. */
  answerWith(body: Buffer, options?: { status?: number; headers?: Record<string, string> }): void
  /** An outage: refuses connections and cuts the open ones, until `resume`. Forgets nothing. */
  stop(): Promise<void>
  resume(): Promise<void>
  close(): Promise<void>
}

export async function startEvolutionService(options: EvolutionServiceOptions): Promise<EvolutionService> {
  const { issuer, audience, host = '127.0.0.1', port: wanted = 0, record = true } = options
  const checkToken = createTokenCheck(issuer, audience)
  const route = createRoutes(options.fleetFile)
  const misbehaviour = createMisbehaviour(MODES)
  let requests: ReceivedRequest[] = []
  let redirectsFollowed = 0
  let canned: Answer = json(200, {})

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = await receive(incoming)
    if (!request) return
    if (isControl(request.method, request.target)) return send(response, control(misbehaviour, request))
    if (record) requests.push(request)
    if (request.target === REDIRECT_TARGET) {
      redirectsFollowed += 1
      return send(response, json(200, { state: 'redirected' }))
    }
    const behave = async () => {
      const checked = await checkToken(incoming.headers.authorization)
      if (!('refused' in checked)) return send(response, route(request))
      const { status, detail, headers } = checked.refused
      return send(response, refusal(status, detail, headers))
    }
    const active = misbehaviour.next('request')
    if (!active) return behave()
    return FAULTS[active.mode]({ request, response, socket: incoming.socket, canned, behave }, active.options)
  }

  const server = createServer((incoming, response) => void handle(incoming, response))
  const sockets = watchSockets(server, (socket) => {
    if (misbehaviour.next('connection')) socket.resetAndDestroy()
  })
  const port =
    wanted === 0 ? await onFreePort((free) => listen(server, free, host)) : await listen(server, wanted, host)

  const stop = async () => {
    // The server's own view of its connections ends before they do, and lacks those that a fault took over.
    await Promise.all([stopListening(server), sockets.cut()])
  }

  return {
    url: `http://${host}:${port}`,
    port,
    requests: () => [...requests],
    clearRequests: () => {
      requests = []
    },
    redirectsFollowed: () => redirectsFollowed,
    openSockets: sockets.open,
    totalConnections: sockets.total,
    bytesWritten: sockets.bytesWritten,
    misbehave: (mode, modeOptions) => misbehaviour.set(mode, modeOptions),
    answerWith(body, { status = 200, headers = {} } = {}) {
      canned = { status, headers: { 'content-type': 'application/json', ...headers }, body }
    },
    stop,
    async resume() {
      if (!server.listening) await listen(server, port, host)
    },
    close: stop,
  }
}
