import { randomUUID } from 'node:crypto'
import { timeOf, userOf } from '../../story/fleet.ts'
import { COMPANY, PEOPLE, type PersonKey } from '../../story/story.ts'
import { json, NO_CONTENT } from '../answer.ts'
import { type Caller, type Demo, type DemoContext, found, nowSeconds, perTeam } from '../exchange.ts'

interface Member {
  kind: 'user' | 'service'
  id: string
  role: string
  email?: string | null
  label?: string
}

/** Knows the team of each token it has seen, with the token's user as its owner. */
export function createTeams({ fleetOf }: DemoContext): Demo {
  const teamOf = perTeam(({ team: id, user }) => {
    const fleet = fleetOf(id)
    const team = {
      id,
      ...(fleet ? COMPANY : { name: `Team ${id.slice(-4)}`, description: null }),
      plan: fleet ? 'business' : null,
      seats: 25,
      created_at: fleet ? timeOf(fleet.madeAt, 900, id) : nowSeconds(),
    }
    const users = fleet
      ? (Object.keys(PEOPLE) as PersonKey[]).map((key) => ({ id: userOf(fleet, key), ...PEOPLE[key] }))
      : [{ id: user, email: null, role: 'owner' }]
    const members = users.map((member): Member => ({ kind: 'user', ...member }))
    return { team, members: new Map(members.map((member) => [member.id, member])) }
  })

  /** Another team's answers exactly as one that does not exist. */
  const findTeam = (caller: Caller, id: string) =>
    found(caller.team === id ? teamOf(caller) : undefined, 'team')

  return {
    refuse: ({ status, message, options: { headers, field = null } }) =>
      json(status, status === 422 ? { error: message, field } : { error: message }, headers),

    routes: {
      'GET /v1/teams': ({ caller }) => json(200, { results: [teamOf(caller).team] }),

      'GET /v1/teams/{team_id}': ({ caller, param }) => json(200, findTeam(caller, param('team_id')).team),

      'PATCH /v1/teams/{team_id}': ({ caller, param, body }) =>
        json(200, Object.assign(findTeam(caller, param('team_id')).team, body)),

      'GET /v1/teams/{team_id}/members': ({ caller, param, query }) => {
        const members = [...findTeam(caller, param('team_id')).members.values()]
        const results = members.slice(0, query.limit)
        return json(200, { results }, { 'x-total-count': String(members.length) })
      },

      'POST /v1/teams/{team_id}/members': ({ caller, param, body }) => {
        const { team, members } = findTeam(caller, param('team_id'))
        const own = body.kind === 'user' ? { email: null } : { label: '' }
        const member: Member = { ...own, ...body, id: randomUUID() }
        members.set(member.id, member)
        return json(201, member, { location: `/v1/teams/${team.id}/members/${member.id}` })
      },

      'GET /v1/teams/{team_id}/members/{member_id}': ({ caller, param }) => {
        const { members } = findTeam(caller, param('team_id'))
        return json(200, found(members.get(param('member_id')), 'member'))
      },

      'DELETE /v1/teams/{team_id}/members/{member_id}': ({ caller, param }) => {
        const { members } = findTeam(caller, param('team_id'))
        members.delete(found(members.get(param('member_id')), 'member').id)
        return NO_CONTENT
      },
    },
  }
}
