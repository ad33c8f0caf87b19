import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type HttpService, type ListenOptions, serve } from '../../../dev/http-service.ts'
import { type Answer, json, send } from '../../../dev/services/answer.ts'
import { createEvolution, type EvolutionOptions } from '../../../dev/services/evolution/service.ts'
import { type ReceivedRequest, receive } from '../../../dev/services/received.ts'
import { control, isControl } from './control.ts'
import { FAULTS, REDIRECT_TARGET } from './faults.ts'
import { createMisbehaviour, type MisbehaviourOptions, type Mode } from './misbehaviour.ts'
import { watchSockets } from './sockets.ts'

export interface EvolutionServiceOptions extends EvolutionOptions, ListenOptions {
  /** False keeps no requests. True when absent. */
  record?: boolean
}

/** The evolution service of `npm run dev`, which injects faults and records requests. */
export interface EvolutionService extends HttpService {
  /** Those received whole, in the order in which they were complete; not those to `/_misbehave`. */
  requests(): ReceivedRequest[]
  clearRequests(): void
  /** How often a client followed a redirect. */
  redirectsFollowed(): number
  openSockets(): number
  totalConnections(): number
  /** Sent on all connections so far, including bytes that wait here because the client does not read them. */
  bytesWritten(): number
  /** The fault of every request from now on, before the token is checked; null ends it. A request that hangs already goes on
   * hanging. */
  misbehave(mode: Mode | null, options?: MisbehaviourOptions): void
  /** What `echo` responds to a GET: exactly these bytes. */
  answerWith(body: Buffer, options?: { status?: number; headers?: Record<string, string> }): void
}

export async function startEvolutionService(options: EvolutionServiceOptions): Promise<EvolutionService> {
  const { record = true } = options
  const respond = createEvolution(options)
  const misbehaviour = createMisbehaviour()
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
    const behave = async () => send(response, await respond(request, incoming.headers.authorization))
    const active = misbehaviour.next('request')
    if (!active) return behave()
    return FAULTS[active.mode]({ request, response, socket: incoming.socket, canned, behave }, active.options)
  }

  const server = createServer((incoming, response) => void handle(incoming, response))
  const sockets = watchSockets(server, (socket) => {
    if (misbehaviour.next('connection')) socket.resetAndDestroy()
  })
  const service = await serve(server, options)
  const stop = async () => {
    // The server's own view of its connections ends before they do, and lacks those that a fault took over.
    await Promise.all([service.stop(), sockets.cut()])
  }

  return {
    ...service,
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
    close: stop,
  }
}
