import { useMe } from '../auth/permissions.ts'

/** The token names the team by its id only; the beginning of it tells teams apart. */
export function useTeamName(): string {
  return `Team ${useMe().team_id.slice(0, 8)}`
}
