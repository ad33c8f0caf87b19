import { randomUUID } from 'node:crypto'
import { COLLECTION } from '../support/agents.ts'
import { createAgents } from '../support/delivery-writers.ts'
import type { RunningConsole } from '../support/processes.ts'
import type { Kind, MixedRequest } from './mixed-load.ts'

export interface LoadTeam {
  team: string
  token: string
  ids: string[]
}

export async function createTeams(
  { url, token: newToken }: RunningConsole,
  teams: number,
  agentsPerTeam: number,
): Promise<LoadTeam[]> {
  const created: LoadTeam[] = []
  for (let n = 0; n < teams; n++) {
    const team = randomUUID()
    const token = await newToken({ team })
    const ids = await createAgents({ url, token, writers: 4, isUp: async () => {} }, agentsPerTeam)
    created.push({ team, token, ids })
  }
  return created
}

const LISTS = ['limit=20', 'limit=20&sort=agent_name', 'limit=20&statuses=active', 'limit=20&q=agent']
/** In so many requests: 80 reads, 15 lists and 5 writes of agents, and 10 calls of a mounted operation. */
const CYCLE = 110
/** Enough that each agent is used. Prime to the number of agents, so that each kind uses all of them. */
const CYCLES = 40
const STEP = 7_919

export function mixRequests(teams: LoadTeam[]): MixedRequest[] {
  const agents = teams.flatMap(({ token, ids }) => ids.map((id) => ({ id, token })))
  return Array.from({ length: CYCLE * CYCLES }, (_, n): MixedRequest => {
    const { id, token } = agents[(n * STEP) % agents.length] as { id: string; token: string }
    const kind = kindAt(n % CYCLE)
    const path = `${COLLECTION}/${id}`
    if (kind === 'mounted') return { kind, method: 'GET', path: '/v1/files', token }
    if (kind === 'list')
      return { kind, method: 'GET', path: `${COLLECTION}?${LISTS[n % LISTS.length]}`, token }
    if (kind === 'write') return { kind, method: 'PUT', path, token, body: '{"purpose":"{n}"}' }
    return { kind, method: 'GET', path, token }
  })
}

/** Spread evenly: after ten requests one mounted call, and in each twenty of the others three lists and a write. */
function kindAt(position: number): Kind {
  if (position % 11 === 10) return 'mounted'
  const other = (position - Math.floor(position / 11)) % 20
  if (other === 7) return 'write'
  return other === 2 || other === 9 || other === 15 ? 'list' : 'read'
}
