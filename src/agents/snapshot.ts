import { CHANGEABLE_COLUMNS } from './columns.ts'

/** Every revision that is a multiple of this holds a snapshot, so that reading an old revision undoes fewer
 * changes than this. A constraint of the table requires it. */
export const SNAPSHOT_INTERVAL = 100

/** The columns that a revision can change. A sealed secret and its fingerprint are never copied. */
const SNAPSHOT_COLUMNS = [
  ...CHANGEABLE_COLUMNS.map(({ name }) => name),
  'trust_stage',
  'trusted_at',
  'ttt_days',
  'api_key_mask',
  'api_key_revision',
  'github_token_revision',
  'named_secrets',
]

export function hasSnapshot(revision: number): boolean {
  return revision % SNAPSHOT_INTERVAL === 0
}

/** The first revision from this one on that holds a snapshot, once the agent has reached it. */
export function snapshotAtOrAfter(revision: number): number {
  return Math.ceil(revision / SNAPSHOT_INTERVAL) * SNAPSHOT_INTERVAL
}

/** SQL for the snapshot of an agent, as it is after the change. */
export function snapshotSql(table: string): string {
  const members = SNAPSHOT_COLUMNS.map((name) => `${table}.${name}`)
  return `(SELECT row_to_json(snapshot) FROM (SELECT ${members.join(', ')}) snapshot)`
}
