/** Begins the names of publications, subscriptions, slots and triggers of moves. */
export const MOVE_PREFIX = 'move_team_'

export function moveName(team: string): string {
  return MOVE_PREFIX + team.replaceAll('-', '')
}
