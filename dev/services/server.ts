import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type HttpService, type ListenOptions, serve } from '../http-service.ts'
import { type Answer, json, send } from './answer.ts'
import { DEMOS, type DemoName } from './catalogue.ts'
import { createContract } from './contract.ts'
import { type Caller, type DemoContext, Refusal } from './exchange.ts'
import { createRouter } from './router.ts'
import { createTokenCheck } from './token.ts'

export interface DemoServiceOptions extends Partial<DemoContext>, ListenOptions {
  /** The `iss` and `aud` of the tokens that it accepts. */
  issuer: string
  audience: string
  /** Where the keys of the issuer are, from the first request on. Discovered when absent. */
  jwksUrl?: (() => URL) | undefined
}

export interface DemoService extends HttpService {
  /** The OpenAPI document that it publishes. */
  readonly document: string
}

export async function startDemoService(name: DemoName, options: DemoServiceOptions): Promise<DemoService> {
  const { issuer, audience, jwksUrl, fleetOf = () => undefined, folder } = options
  const checkToken = createTokenCheck(issuer, audience, jwksUrl)
  const demo = await DEMOS[name].create({ fleetOf, folder })
  const document = readFileSync(new URL(`${name}/openapi.json`, import.meta.url), 'utf8')
  const etag = `"${createHash('sha256').update(document).digest('base64url')}"`
  const declared = createContract(document)
  const find = createRouter(
    Object.fromEntries(
      Object.entries(demo.routes).map(([route, handler]) => [
        route,
        { handler, readInputs: declared(route) },
      ]),
    ),
  )

  const readCaller = async (authorization: string | undefined): Promise<Caller> => {
    const result = await checkToken(authorization)
    if ('refused' in result) throw new Refusal(result.refused.status, result.refused.detail, result.refused)
    const { sub, team_id: team } = result.claims
    if (!sub || typeof team !== 'string') throw new Refusal(403, 'The token names no team')
    return { user: sub, team }
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<Answer | undefined> => {
    const { method = '', headers, url = '' } = request
    const { pathname, searchParams } = new URL(url, 'http://service')
    if (method === 'GET' && pathname === '/openapi.json') {
      if (headers['if-none-match'] === etag) return { status: 304, headers: { etag }, body: Buffer.alloc(0) }
      return { ...json(200, {}, { etag }), body: Buffer.from(document) }
    }
    try {
      const caller = await readCaller(headers.authorization)
      const { route, param } = find(method, pathname)
      const inputs = await route.readInputs(request, searchParams)
      return await route.handler({ request, response, caller, param, ...inputs })
    } catch (error) {
      if (error instanceof Refusal) return demo.refuse(error)
      throw error
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).then(
      (answered) => answered && send(response, answered),
      (error: Error) => response.destroy(error),
    )
  })
  // A report of any size may take any time to arrive.
  server.requestTimeout = 0
  const service = await serve(server, options)
  return {
    ...service,
    document,
    close: async () => {
      await service.close()
      await demo.close?.()
    },
  }
}
