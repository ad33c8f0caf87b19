import { PERMISSIONS, type Permission } from '../../src/api/caller.ts'
import { storyId, userOf } from '../story/fleet.ts'
import { COMPANY, NAMES, PEOPLE } from '../story/story.ts'
import type { Identity } from './client.ts'

/** A person who can sign in by picking their name. */
export interface DemoPerson {
  readonly key: 'administrator' | 'viewer' | 'outsider' | 'newcomer'
  readonly user: string
  /** Null for a person without a team: their token has no `team_id`. */
  readonly team: string | null
  readonly name: string
  readonly email: string
  readonly permissions: readonly Permission[]
  /** What to expect after signing in, for the sign-in page. */
  readonly role: string
}

/** The user and team of the example in compose.yaml. */
export const EXAMPLE: Identity = {
  user: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  team: '7d9f1c52-4a66-4c1e-9f57-0c1b8a2d3e4f',
}

const VIEWER: Permission[] = ['agent:read', 'audit:read', 'service:read']

/** The people of the demonstration. The administrator is the user of the printed token and sees the demo fleet. */
export function demoPeople({ user, team }: Identity): DemoPerson[] {
  return [
    {
      key: 'administrator',
      user,
      team,
      name: NAMES.you,
      email: PEOPLE.you.email,
      permissions: PERMISSIONS,
      role: `Administrator of ${COMPANY.name}: all permissions`,
    },
    {
      key: 'viewer',
      user: userOf({ team, user }, 'jun'),
      team,
      name: NAMES.jun,
      email: PEOPLE.jun.email,
      permissions: VIEWER,
      role: `Viewer of ${COMPANY.name}: reads agents, services and the audit log`,
    },
    {
      key: 'outsider',
      user: storyId(team, 'person/sander'),
      team: storyId(team, 'team/northpier'),
      name: 'Sander Vis',
      email: 'sander.vis@northpier.example',
      permissions: PERMISSIONS,
      role: 'Administrator of Northpier, another team, which has no agents yet',
    },
    {
      key: 'newcomer',
      user: storyId(team, 'person/robin'),
      team: null,
      name: 'Robin Falk',
      email: 'robin.falk@fjordandfield.example',
      permissions: PERMISSIONS,
      role: 'No team yet: the console says what is missing',
    },
  ]
}
