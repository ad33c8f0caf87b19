import type { Caller } from '../api/caller.ts'
import { Problem } from '../api/problem.ts'
import type { Core } from '../core.ts'
import type { Statements } from '../platform/postgres/database.ts'
import { named } from '../platform/postgres/sql.ts'
import {
  type AgentText,
  type Change,
  type ChangeConditions,
  type ChangedAgent,
  changeAgent,
  type StoredAgent,
} from './change.ts'
import {
  AGENT_TEXT,
  agentSql,
  CHANGEABLE_COLUMNS,
  type ColumnValues,
  type ORIGIN_COLUMNS,
} from './columns.ts'
import { changeableValues, changedColumns, describeColumns, settableValues } from './compare.ts'
import { refuseBreakingChange } from './dependents.ts'
import type { AgentCreate, AgentUpdate } from './schema.ts'
import { inspect, refuseFaults, requireSecretForNewOrigin } from './secrets/inspect.ts'
import {
  changedSecret,
  readSecretChanges,
  rejectUnknownMasks,
  type SecretChanges,
  showSupplied,
  withTokenMasked,
} from './secrets/secret-change.ts'

export async function readAgent(
  { database }: Core,
  { teamId }: Caller,
  id: string,
  { includeScores = false } = {},
): Promise<AgentText> {
  const found = await findAgent(database.of(teamId), teamId, id, includeScores)
  if (!found) throw new Problem('agent_not_found')
  return found
}

/** Undefined if the team has no such agent. */
export async function findAgent(
  sql: Statements,
  teamId: string,
  id: string,
  includeScores: boolean,
): Promise<AgentText | undefined> {
  const [row] = await sql.read<AgentText>(named(includeScores ? 'find-agent-with-scores' : 'find-agent')`
SELECT a.revision, ${AGENT_TEXT} FROM agents a, ${includeScores ? AGENT_WITH_SCORES : AGENT}
WHERE a.team_id = ${teamId} AND a.id = ${id}`)
  return row
}

const AGENT = agentSql('a')
const AGENT_WITH_SCORES = agentSql('a', { includeScores: true })

export async function updateAgent(
  core: Core,
  caller: Caller,
  id: string,
  body: AgentValues,
  conditions: ChangeConditions,
): Promise<ChangedAgent> {
  const changes = readSecretChanges(core.secrets, { teamId: caller.teamId, agentId: id }, body)
  const values = toValues(body, changes, conditions.mayChangeOrigin)
  const changed = await changeAgent(core, { caller, id, ...conditions }, (stored) => {
    rejectUnknownMasks(changes, stored.agent)
    const change = decideUpdate(caller, stored, values, changes)
    if (change) refuseBreakingChange(stored.mustNotBreak, change.columns)
    return change
  })
  return { ...changed, text: showSupplied(changed.text, changes) }
}

/** The fields of an update, and those that describe where the agent came from. */
export type AgentValues = AgentUpdate & Pick<AgentCreate, (typeof ORIGIN_COLUMNS)[number]['name']>

/** The values of a body as they are stored. */
export function toValues(body: AgentValues, changes: SecretChanges, mayChangeOrigin = false): ColumnValues {
  const values = mayChangeOrigin ? changeableValues(body) : settableValues(body)
  if (values.white_box_config) {
    values.white_box_config = withTokenMasked(body.white_box_config, changes.github_token)
  }
  if (values.import_metadata) values.import_metadata = withSource(body.import_metadata)
  return values
}

/** An agent always says where it came from. */
const withSource = (given: AgentValues['import_metadata']) => ({
  ...given,
  source: given?.source ?? 'manual',
})

export function withDefaults(values: ColumnValues): ColumnValues {
  return Object.fromEntries(
    CHANGEABLE_COLUMNS.map(({ name, default: standard }) => [name, values[name] ?? standard ?? null]),
  )
}

/** Undefined when the update changes nothing. */
export function decideUpdate(
  caller: Caller,
  stored: StoredAgent,
  values: ColumnValues,
  changes: SecretChanges,
): Change | undefined {
  const columns = changedColumns(stored.agent, values)
  const findings = inspect(columns)
  refuseFaults(findings, stored.namedSecrets)
  requireSecretForNewOrigin(caller, stored, columns, changes)
  const token = changedSecret('github_token', changes.github_token, stored)
  const apiKey = changedSecret('api_key', changes.api_key, stored)
  // `white_box_config` includes the token: a new token is a change of the field.
  if (Object.keys(token).length > 0) columns['white_box_config'] = values.white_box_config
  const { fields, before } = describeColumns(stored, columns)
  if (Object.keys(apiKey).length > 0) {
    fields.push('api_key')
    before['api_key_mask'] = stored.agent.api_key ?? null
    before['api_key_revision'] = stored.secretRevisions.api_key
  }
  if (fields.length === 0) return undefined
  return {
    action: 'updated',
    fields,
    before,
    columns: { ...columns, ...token, ...apiKey },
    credentialWarnings: findings.warnings,
  }
}
