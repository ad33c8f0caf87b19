import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Answer, send } from '../evolution-service/answer.ts'
import { control, isControl } from '../evolution-service/control.ts'
import { WIRE_FAULTS } from '../evolution-service/faults.ts'
import { createMisbehaviour, type MisbehaviourOptions } from '../evolution-service/misbehaviour.ts'
import { receive } from '../evolution-service/received.ts'
import { watchSockets } from '../evolution-service/sockets.ts'
import { createTokenCheck } from '../evolution-service/token.ts'
import { onFreePort } from '../free-port.ts'
import { listen, stopListening } from '../issuer/listen.ts'
import { noFleet } from '../story/fleet.ts'
import { DEMOS, type DemoName } from './catalogue.ts'
import { type Caller, type DemoContext, Refusal } from './exchange.ts'
import { createPublished } from './published.ts'
import { createRouter } from './router.ts'

/** What these services can be told to do: the same as the evolution service, but for `echo`. */
type Mode = keyof typeof WIRE_FAULTS
const MODES = Object.keys(WIRE_FAULTS) as Mode[]

export interface DemoServiceOptions extends Partial<DemoContext> {
  /** The `iss` and `aud` of the tokens that it accepts. */
  issuer: string
  audience: string
  /** Where the keys of the issuer are, from the first request on. Discovered when absent. */
  jwksUrl?: (() => URL) | undefined
  /** A free one below 32768 when absent or 0. */
  port?: number
  host?: string
}

export interface DemoService {
  readonly name: DemoName
  readonly url: string
  readonly port: number
  /** `GET /v1/teams` and its like in the order in which they came, but for those to the controls and the document. */
  requests(): string[]
  openSockets(): number
  /** Sent on all connections so far, with what still waits here because nobody reads it. */
  bytesWritten(): number
  /** Before the token is looked at, for every request from now on, the document's too; null to behave again. */
  misbehave(mode: Mode | null, options?: MisbehaviourOptions): void
  document(): string
  /** Another document from now on, good or not; undefined for its own. */
  swapDocument(text: string | undefined): void
  /** An outage: refuses connections and cuts the open ones, until `resume`. Forgets nothing. */
  stop(): Promise<void>
  resume(): Promise<void>
  close(): Promise<void>
}

const DOCUMENT = '/openapi.json'
/** Development only, as `/_misbehave` is: whoever reaches this path replaces the document by the body. */
const SWAP = '/_document'

const MOST_KEPT = 10_000

export async function startDemoService(name: DemoName, options: DemoServiceOptions): Promise<DemoService> {
  const { issuer, audience, jwksUrl, host = '127.0.0.1', port: wanted = 0 } = options
  const { fleetOf = noFleet, folder } = options
  const checkToken = createTokenCheck(issuer, audience, jwksUrl)
  const demo = await DEMOS[name].create({ fleetOf, folder })
  const find = createRouter(demo.routes)
  const published = createPublished(DEMOS[name].document)
  const misbehaviour = createMisbehaviour(MODES)
  const requests: string[] = []

  const readCaller = async (authorization: string | undefined): Promise<Caller> => {
    const checked = await checkToken(authorization)
    if ('refused' in checked) {
      throw new Refusal(checked.refused.status, checked.refused.detail, { headers: checked.refused.headers })
    }
    const { sub, team_id: team } = checked.claims
    if (!sub || typeof team !== 'string') throw new Refusal(403, 'The token names no team')
    return { user: sub, team }
  }

  const behave = async (request: IncomingMessage, response: ServerResponse): Promise<Answer | undefined> => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://service')
    if (pathname === DOCUMENT && request.method === 'GET') return published.answer(request)
    try {
      const caller = await readCaller(request.headers.authorization)
      const { handler, param } = find(request.method ?? '', pathname)
      return await handler({ request, response, caller, param, query: searchParams })
    } catch (error) {
      if (error instanceof Refusal) return demo.refuse(error)
      throw error
    }
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: target = '', socket } = request
    const isSwap = method === 'PUT' && target === SWAP
    if (isSwap || isControl(method, target)) {
      const received = await receive(request)
      if (!received) return undefined
      if (!isSwap) return send(response, control(misbehaviour, received))
      published.swap(received.body.length === 0 ? undefined : received.body.toString())
      return send(response, { status: 204, headers: {}, body: Buffer.alloc(0) })
    }
    if (target !== DOCUMENT) {
      requests.push(`${method} ${target}`)
      if (requests.length > MOST_KEPT) requests.shift()
    }
    const answer = async () => {
      const answered = await behave(request, response)
      if (answered) send(response, answered)
    }
    const active = misbehaviour.next('request')
    if (!active) return answer()
    const wire = { response, socket, behave: answer }
    return WIRE_FAULTS[active.mode](wire, active.options)
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  // A report of any size may take any time to arrive.
  server.requestTimeout = 0
  const sockets = watchSockets(server, (socket) => {
    if (misbehaviour.next('connection')) socket.resetAndDestroy()
  })
  const port =
    wanted === 0 ? await onFreePort((free) => listen(server, free, host)) : await listen(server, wanted, host)
  const stop = async () => {
    await Promise.all([stopListening(server), sockets.cut()])
  }

  return {
    name,
    url: `http://${host}:${port}`,
    port,
    requests: () => [...requests],
    openSockets: sockets.open,
    bytesWritten: sockets.bytesWritten,
    misbehave: (mode, modeOptions) => misbehaviour.set(mode, modeOptions),
    document: published.text,
    swapDocument: published.swap,
    stop,
    async resume() {
      if (!server.listening) await listen(server, port, host)
    },
    async close() {
      await stop()
      await demo.close?.()
    },
  }
}
