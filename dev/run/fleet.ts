import { requestToken } from '../issuer/token.ts'
import { type Fleet, readFleetFile } from '../story/fleet.ts'
import { COMPANY } from '../story/story.ts'
import { withClient } from './database.ts'
import { DevError } from './dev-error.ts'
import type { Lifetime } from './lifetime.ts'
import { type State, writeWhole } from './state.ts'

interface Place {
  apiUrl: string
  issuerUrl: string
  databaseUrl: string
  token: string
}

/** The agent that the printed commands are about. */
const SHOWN = 'invoices'

export interface Shown {
  agentId: string
  revision: number
  agents: number
  company: string
}

/** The fleet of an earlier start, where the console still has it; else a new one. */
export async function openFleet(place: Place, state: State, lifetime: Lifetime): Promise<Shown> {
  const known = readFleetFile(state.file('fleet.json'))
  const found = known && (await find(place, known))
  if (found) return found
  const made = await makeFleet(place, state, lifetime)
  const shown = await find(place, made)
  if (!shown) throw new DevError('The fleet was made, and is not there.')
  return shown
}

/** Undefined when the console has none of the agents: another database is in use. */
async function find({ apiUrl, token }: Place, { ids }: Fleet): Promise<Shown | undefined> {
  // A deleted agent is not made anew. The commands are then about another.
  for (const id of [ids[SHOWN], ...Object.values(ids)]) {
    const response = await fetch(`${apiUrl}/v1/agent-configurations/${id}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    await response.body?.cancel()
    const revision = Number(/\d+/.exec(response.headers.get('etag') ?? '')?.[0])
    if (response.ok && id)
      return { agentId: id, revision, agents: Object.keys(ids).length, company: COMPANY.name }
  }
  return undefined
}

async function makeFleet(place: Place, state: State, lifetime: Lifetime): Promise<Fleet> {
  const { apiUrl, issuerUrl, databaseUrl } = place
  const { team, user } = state.identity
  const { seedFleet } = await import('../story/seed.ts')
  const fleet = await withClient(databaseUrl, (database) =>
    seedFleet({
      apiUrl,
      team,
      user,
      database,
      madeAt: Math.floor(Date.now() / 1_000),
      tokenOf: (one) => requestToken(issuerUrl, { user: one, team }),
      check: lifetime.check,
    }),
  )
  writeWhole(state.file('fleet.json'), fleet)
  return fleet
}
