import { DECIMAL_MAX_LENGTH, plainDecimal } from '../api/fields.ts'
import { Problem, RequestValidationError } from '../api/problem.ts'
import { parseUuid } from '../api/uuid.ts'
import { type Fragment, raw } from '../platform/postgres/sql.ts'
import { type ColumnType, type Field, isNeverNull, ORIGIN_FIELDS, SETTABLE_FIELDS } from './fields.ts'
import { Agent, type AgentUpdate, EXPORT_FORMAT, ExportedAgent } from './schema.ts'

interface Column<Name extends string> extends Field {
  name: Name
  type: ColumnType
  /** The column is NOT NULL: a null in an update leaves the stored value as it is. */
  ignoresNull: boolean
}

const columnsOf = <Name extends string>(fields: Record<Name, Field>): Column<Name>[] =>
  Object.entries<Field>(fields).flatMap(([name, field]) => {
    const { type } = field
    return type ? [{ ...field, name: name as Name, type, ignoresNull: isNeverNull(field) }] : []
  })

const { api_key: _, ...SETTABLE_WITHOUT_SECRET } = SETTABLE_FIELDS

/** The columns that a client sets. An update by `PUT` changes these and the secrets, and nothing else. */
export const SETTABLE_COLUMNS = columnsOf(SETTABLE_WITHOUT_SECRET)

/** The columns that a creation sets, and after it only an import or a configuration set. */
export const ORIGIN_COLUMNS = columnsOf(ORIGIN_FIELDS)

/** The columns that a change can set, in the order in which revisions and events name them. */
export const CHANGEABLE_COLUMNS = [...SETTABLE_COLUMNS, ...ORIGIN_COLUMNS]

export type ChangeableColumn = (typeof CHANGEABLE_COLUMNS)[number]['name']

/** Values for the columns that a change can set. An absent one keeps the stored value. */
export type ColumnValues = Partial<Record<ChangeableColumn, unknown>>

/** Every column of `agents`. `deleted_agents` has them too: an agent moves there and back with all of them. */
export const AGENT_COLUMNS: readonly string[] = [
  'team_id',
  'id',
  'revision',
  'created_by',
  'created_at',
  'updated_at',
  ...CHANGEABLE_COLUMNS.map(({ name }) => name),
  'trust_stage',
  'trusted_at',
  'ttt_days',
  'api_key_sealed',
  'api_key_mask',
  'api_key_fingerprint',
  'api_key_revision',
  'github_token_sealed',
  'github_token_mask',
  'github_token_fingerprint',
  'github_token_revision',
  'named_secrets',
  'latest_evaluation',
  'behaviour_revision',
  'bytes',
  'set_version',
]

/** The newest evaluation, and whether it is current: no field of BEHAVIOUR_FIELDS has changed since its revision.
 * The stored text is a JSON object that always has members, so `current` is added before its closing brace. */
export function evaluationJson(table: string): string {
  const isCurrent = `((${table}.latest_evaluation ->> 'revision')::bigint >= ${table}.behaviour_revision)`
  return `(left(${table}.latest_evaluation::text, -1) || ',"current":' || ${isCurrent}::text || '}')::json`
}

/** The response body of an agent. */
export const AGENT_TEXT = raw('row_to_json(agent)::text AS text')

/** Which members of an agent a text has. */
export interface AgentShape {
  /** With `latest_evaluation`. */
  includeScores?: boolean
  /** These and `id`, and `latest_evaluation` with `includeScores`. Default: all. */
  fields?: readonly string[] | undefined
  /** The text is an ExportedAgent. */
  isExport?: boolean
}

/** SQL that lets a statement select AGENT_TEXT: `SELECT … FROM agents a, ${agentSql('a')}`. The text is the Agent that
 * the contract declares, in the order of the schema, nested JSON as it is stored. No other code lists the members of
 * Agent. A scalar subquery instead of LATERAL is 50 % slower. */
export function agentSql(table: string, shape: AgentShape = {}): Fragment {
  const expressions: Record<string, string> = {
    api_key: `${table}.api_key_mask`,
    test_score: `${table}.test_score::text`,
    latest_evaluation: evaluationJson(table),
    ...(shape.isExport && {
      format: `'${EXPORT_FORMAT}'::text`,
      white_box_config: withoutToken(table),
    }),
  }
  const members = (shape.isExport ? Object.keys(ExportedAgent.properties) : membersOf(shape)).map(
    (name) => `${expressions[name] ?? `${table}.${name}`} AS ${name}`,
  )
  return raw(`LATERAL (SELECT ${members.join(', ')}) agent`)
}

function membersOf({ includeScores = false, fields }: AgentShape): string[] {
  return Object.keys(Agent.properties).filter((name) => {
    if (name === 'latest_evaluation') return includeScores
    return !fields || name === 'id' || fields.includes(name)
  })
}

/** `white_box_config` has the mask of the token. json_each keeps the other members as they are stored. */
function withoutToken(table: string): string {
  const config = `${table}.white_box_config`
  const others = `SELECT json_object_agg(key, value) FROM json_each(${config}) WHERE key <> 'github_token'`
  return `CASE WHEN ${table}.github_token_mask IS NULL THEN ${config} ELSE coalesce((${others}), '{}') END`
}

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

/** Half of the limit for request bodies, so that a client can send back every agent that it reads, even with every
 * quote and line break escaped. Exception: an agent with about 100,000 control characters, which take six bytes
 * each in JSON. */
export const MAX_AGENT_BYTES = 512 * 1024

/** The size of values in bytes: strings as UTF-8, everything else as JSON. */
export function bytesOf(values: readonly unknown[]): number {
  let bytes = 0
  for (const value of values) {
    if (value !== null && value !== undefined) {
      bytes += Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))
    }
  }
  return bytes
}

export function refuseTooLarge(bytes: number): void {
  if (bytes > MAX_AGENT_BYTES) throw new Problem('agent_too_large')
}

/** The values of an agent that are a member of a body, read as those of a body that is an update by itself.
 * `place` is the name of the member. */
export function readNestedValues<Values extends AgentUpdate>(values: Values, place: string): Values {
  const { test_score: score, guard_config_id: guard } = values
  const plain = typeof score === 'number' ? plainDecimal(String(score)) : score
  if (score != null && plain === null) {
    const msg = `Value error, this number has more than ${DECIMAL_MAX_LENGTH} characters`
    throw new RequestValidationError([{ loc: ['body', place, 'test_score'], msg, type: 'value_error' }])
  }
  return {
    ...values,
    ...(plain === undefined ? {} : { test_score: plain }),
    ...(guard == null ? {} : { guard_config_id: normalUuid(guard) }),
  }
}

/** The schema has accepted the text. */
export function normalUuid(text: string): string {
  const parsed = parseUuid(text)
  return parsed.ok ? parsed.uuid : text
}
