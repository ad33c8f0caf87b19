import { type Answer, json, refusal } from './answer.ts'
import { createGenomes } from './genomes.ts'
import type { ReceivedRequest } from './received.ts'
import { proposalStatus, storyStatus } from './status.ts'

export type Route = (request: ReceivedRequest) => Answer

const UUID = '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'

/** What the service does when it behaves. Paths are taken literally: a slash too many is another path, so
 * that whoever calls with one finds out. */
export function createRoutes(fleetFile?: string): Route {
  const statusOf = (id: string) => (fleetFile && storyStatus(id, fleetFile)) || proposalStatus(id)
  const genomes = createGenomes()
  const table: [RegExp, (request: ReceivedRequest, id: string) => Answer][] = [
    [new RegExp(`^GET /evolution/status/(${UUID})$`), (_, id) => json(200, statusOf(id))],
    [/^POST \/v1\/genomes$/, ({ body }) => genomes.create(body)],
    [new RegExp(`^GET /v1/genomes/(${UUID})$`), (_, id) => genomes.find(id)],
  ]

  return (request) => {
    const [path = ''] = request.target.split('?', 1)
    for (const [pattern, answer] of table) {
      const match = pattern.exec(`${request.method} ${path}`)
      if (match) return answer(request, match[1] ?? '')
    }
    return refusal(404, `There is no ${request.method} ${path}`)
  }
}
