import { parseUuid } from '../../contract/uuid.ts'
import { readTexts } from './claims.ts'

export interface Team {
  /** A UUID. */
  id: string
  /** What the token calls it. */
  value: string
}

export function readTeams(claim: unknown, toId: (value: string) => string | null): Team[] {
  const byId = new Map<string, Team>()
  for (const value of readTexts(claim)) {
    const id = toId(value)
    if (id !== null && !byId.has(id)) byId.set(id, { id, value })
  }
  return [...byId.values()]
}

interface WithTeams {
  teams: readonly Team[]
  teamId: string | null
  tenant: string
}

/** The token in the team that a request names, by the value of the claim or by its UUID. Undefined if it is none of its
 * teams. The token is shared by other requests, so this is a copy. */
export function inTeam<Token extends WithTeams>(token: Token, wanted: string): Token | undefined {
  const uuid = parseUuid(wanted)
  const team =
    token.teams.find(({ value }) => value === wanted) ??
    token.teams.find(({ id }) => uuid.ok && id === uuid.uuid)
  return team && { ...token, teamId: team.id, tenant: team.id }
}

const MAX_NAMED = 3
/** What fits into a header as it is. */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]{0,62}[\x21-\x7e])?$/

/** A few of the teams, in the form that a request can name them. */
export function nameTeams(teams: readonly Team[]): string {
  const names = teams.slice(0, MAX_NAMED).map(({ id, value }) => (PLAIN.test(value) ? value : id))
  return `${names.join(', ')}${teams.length > MAX_NAMED ? ', …' : ''}`
}
