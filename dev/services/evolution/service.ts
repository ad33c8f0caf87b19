import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type HttpService, type ListenOptions, serve } from '../../http-service.ts'
import { type Answer, json, refusal, send } from '../answer.ts'
import { type ReceivedRequest, receive } from '../received.ts'
import { createTokenCheck } from '../token.ts'
import { createGenomes } from './genomes.ts'
import { proposalStatus, storyStatus } from './status.ts'

export interface EvolutionOptions {
  /** The `iss` and `aud` of the tokens that it accepts. */
  issuer: string
  audience: string
  /** Where the ids of the demonstration's agents are written. */
  fleetFile?: string | undefined
}

const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'

/** The responses of the evolution service. Paths are taken literally: a slash too many is another path, so that a caller
 * with one gets 404. */
export function createEvolution({ issuer, audience, fleetFile }: EvolutionOptions) {
  const checkToken = createTokenCheck(issuer, audience)
  const statusOf = (id: string) => (fleetFile && storyStatus(id, fleetFile)) || proposalStatus(id)
  const genomes = createGenomes()
  const table: [RegExp, (request: ReceivedRequest, id: string) => Answer][] = [
    [new RegExp(`^GET /evolution/status/(${UUID})$`), (_, id) => json(200, statusOf(id))],
    [/^POST \/v1\/genomes$/, ({ body }) => genomes.create(body)],
    [new RegExp(`^GET /v1/genomes/(${UUID})$`), (_, id) => genomes.find(id)],
  ]

  return async (request: ReceivedRequest, authorization: string | undefined): Promise<Answer> => {
    const checked = await checkToken(authorization)
    if ('refused' in checked) {
      const { status, detail, headers } = checked.refused
      return refusal(status, detail, headers)
    }
    const [path = ''] = request.target.split('?', 1)
    for (const [pattern, answer] of table) {
      const match = pattern.exec(`${request.method} ${path}`)
      if (match) return answer(request, match[1] ?? '')
    }
    return refusal(404, `There is no ${request.method} ${path}`)
  }
}

export function startEvolution(options: EvolutionOptions & ListenOptions): Promise<HttpService> {
  const respond = createEvolution(options)
  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = await receive(incoming)
    if (request) send(response, await respond(request, incoming.headers.authorization))
  }
  const server = createServer((incoming, response) => void handle(incoming, response))
  return serve(server, options)
}
