import { type Client, escapeLiteral } from 'pg'
import { moveName } from './move-name.ts'
import type { Databases } from './replication.ts'

/** How far a move is. It is the comment of the publication: it outlives the command, and goes with the publication. */
export interface MoveState {
  /** The database that the team moves to. */
  target: string
  /** Since the cut-over: no audit event before it has this id or a later one. */
  cutOverId?: string
  isCancelled?: true
}

/** Undefined while the team is not being moved. */
export async function findState(source: Client, team: string): Promise<MoveState | undefined> {
  const { rows } = await source.query<{ comment: string }>(
    `SELECT obj_description(oid, 'pg_publication') AS comment FROM pg_publication WHERE pubname = $1`,
    [moveName(team)],
  )
  return rows[0] && (JSON.parse(rows[0].comment) as MoveState)
}

/** Throws if the team is not being moved to this target. */
export async function readState({ source, target }: Databases, team: string): Promise<MoveState> {
  const state = await findState(source, team)
  if (!state) throw new Error('The source does not move this team: run the step copy first.')
  const given = await identify(target)
  if (state.target !== given)
    throw new Error(`The team moves to ${state.target}, but TARGET_DATABASE_URL is ${given}.`)
  return state
}

/** A statement. */
export function setState(team: string, state: MoveState): string {
  return `COMMENT ON PUBLICATION ${moveName(team)} IS ${escapeLiteral(JSON.stringify(state))}`
}

/** Names a database, whichever its address is. */
export async function identify(client: Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('database %s of the server %s', current_database(), system_identifier) AS name FROM pg_control_system()`,
  )
  return rows[0]?.name ?? ''
}
