import { randomUUID } from 'node:crypto'
import { json } from '../../evolution-service/answer.ts'
import { timeOf } from '../../story/fleet.ts'
import { userOf } from '../../story/people.ts'
import { COMPANY, PEOPLE, type PersonKey } from '../../story/story.ts'
import {
  type Caller,
  type Demo,
  type DemoContext,
  nowSeconds,
  Refusal,
  readInteger,
  readObject,
} from '../exchange.ts'

interface Team {
  id: string
  name: string
  description: string | null
  plan: 'free' | 'business' | null
  seats: number
  created_at: number
}

type Member = { id: string; role: string } & ({ kind: 'user'; email: string | null } | ServiceMember)
interface ServiceMember {
  kind: 'service'
  label: string
}

interface Kept {
  team: Team
  members: Map<string, Member>
}

const ROLES = ['owner', 'editor', 'viewer']

/** Knows the team of each token it has seen, with the token's user as its owner. */
export function createTeams({ fleetOf }: DemoContext): Demo {
  const teams = new Map<string, Kept>()

  const teamOf = ({ team: id, user }: Caller): Kept => {
    const known = teams.get(id)
    if (known) return known
    const fleet = fleetOf(id)
    const team: Team = {
      id,
      ...(fleet ? COMPANY : { name: `Team ${id.slice(-4)}`, description: null }),
      plan: fleet ? 'business' : null,
      seats: 25,
      created_at: fleet ? timeOf(fleet.madeAt, 900, id) : nowSeconds(),
    }
    const members: Member[] = fleet
      ? (Object.keys(PEOPLE) as PersonKey[]).map((key) => ({
          kind: 'user',
          id: userOf(fleet, key),
          ...PEOPLE[key],
        }))
      : [{ kind: 'user', id: user, email: null, role: 'owner' }]
    const kept = { team, members: new Map(members.map((member) => [member.id, member])) }
    teams.set(id, kept)
    return kept
  }

  /** Another team's answers exactly as one that does not exist. */
  const findTeam = (caller: Caller, id: string): Kept => {
    if (caller.team !== id) throw new Refusal(404, 'There is no such team')
    return teamOf(caller)
  }
  const findMember = (caller: Caller, teamId: string, id: string) => {
    const { members } = findTeam(caller, teamId)
    const member = members.get(id)
    if (!member) throw new Refusal(404, 'There is no such member')
    return { members, member }
  }

  return {
    refuse: ({ status, message, headers, field = null }) =>
      json(status, status === 422 ? { error: message, field } : { error: message }, headers),

    routes: {
      'GET /v1/teams': ({ caller }) => json(200, { results: [teamOf(caller).team] }),

      'GET /v1/teams/{team_id}': ({ caller, param }) => json(200, findTeam(caller, param('team_id')).team),

      'PATCH /v1/teams/{team_id}': async ({ request, caller, param }) => {
        const { team } = findTeam(caller, param('team_id'))
        Object.assign(team, checkUpdate(await readObject(request)))
        return json(200, team)
      },

      'GET /v1/teams/{team_id}/members': ({ caller, param, query }) => {
        const members = [...findTeam(caller, param('team_id')).members.values()]
        const limit = readInteger('limit', query.get('limit'), 1) ?? 100
        return json(200, { results: members.slice(0, limit) }, { 'x-total-count': String(members.length) })
      },

      'POST /v1/teams/{team_id}/members': async ({ request, caller, param }) => {
        const { team, members } = findTeam(caller, param('team_id'))
        const member = checkMember(await readObject(request))
        members.set(member.id, member)
        return json(201, member, { location: `/v1/teams/${team.id}/members/${member.id}` })
      },

      'GET /v1/teams/{team_id}/members/{member_id}': ({ caller, param }) =>
        json(200, findMember(caller, param('team_id'), param('member_id')).member),

      'DELETE /v1/teams/{team_id}/members/{member_id}': ({ caller, param }) => {
        const { members, member } = findMember(caller, param('team_id'), param('member_id'))
        members.delete(member.id)
        return { status: 204, headers: {}, body: Buffer.alloc(0) }
      },
    },
  }
}

function checkUpdate({ name, description, ...rest }: Record<string, unknown>): Partial<Team> {
  const [unknown] = Object.keys(rest)
  if (unknown) throw new Refusal(422, `A team has no ${unknown} that could be changed`, { field: unknown })
  if (name !== undefined && (typeof name !== 'string' || name === '')) {
    throw new Refusal(422, 'A name is a text', { field: 'name' })
  }
  if (description !== undefined && description !== null && typeof description !== 'string') {
    throw new Refusal(422, 'A description is a text or null', { field: 'description' })
  }
  if (name === undefined && description === undefined) throw new Refusal(422, 'Nothing is to be changed')
  return { ...(name !== undefined && { name }), ...(description !== undefined && { description }) }
}

function checkMember({ kind, email, label, role }: Record<string, unknown>): Member {
  if (typeof role !== 'string' || !ROLES.includes(role)) {
    throw new Refusal(422, `A role is one of ${ROLES.join(', ')}`, { field: 'role' })
  }
  const base = { id: randomUUID(), role }
  if (kind === 'user' && typeof email === 'string') return { kind, ...base, email }
  if (kind === 'service' && typeof label === 'string') return { kind, ...base, label }
  throw new Refusal(422, 'A member is a user with an email or a service with a label', { field: 'kind' })
}
