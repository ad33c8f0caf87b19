import type { Caller } from '../api/caller.ts'
import { Problem } from '../api/problem.ts'
import type { Core } from '../core.ts'
import type { Statements } from '../platform/postgres/database.ts'
import { EMPTY, fragment, named, param, type Statement } from '../platform/postgres/sql.ts'
import {
  type Columns,
  changeStatement,
  driftedSets,
  findOwners,
  isUnchangedBy,
  type NamedSecretWrite,
  type RevisionRecord,
  type SetKey,
} from './change-statement.ts'
import { AGENT_TEXT, agentSql, bytesOf, CHANGEABLE_COLUMNS, refuseTooLarge } from './columns.ts'
import { mustRefuse } from './dependents.ts'
import { BEHAVIOUR_FIELDS } from './fields.ts'
import type { Agent } from './schema.ts'

/** An agent as the text of a response body, its secrets masked. */
export interface AgentText {
  revision: number
  text: string
  /** Where a value of the request looks like a credential. */
  credentialWarnings?: readonly string[]
}

/** An agent after a change. */
export interface ChangedAgent extends AgentText {
  /** Names of the fields that changed. Empty if nothing did. */
  fields: readonly string[]
}

/** The named secrets of an agent, by name. */
export type NamedSecrets = Record<string, { mask: string; revision: number }>

/** An agent before a change, and the time of the change. */
export interface StoredAgent {
  agent: Agent
  /** Fingerprint of each secret, used to detect a change; null if the agent has no such secret. */
  fingerprints: { api_key: Buffer | null; github_token: Buffer | null }
  /** The revision that set each secret; null if the agent has no such secret. */
  secretRevisions: { api_key: number | null; github_token: number | null }
  namedSecrets: NamedSecrets
  /** Grows when a configuration set takes fields of the agent. */
  setVersion: number
  /** The revision that the change makes. */
  nextRevision: number
  /** The time of the new change, Unix time in seconds; never before that of the previous change. */
  changedAt: number
  /** The request asks to be refused if it breaks agents that delegate to the agent, and there are some. */
  mustNotBreak: boolean
}

/** The part of a change that `decide` chooses. `changeAgent` adds revision, time and size. */
export interface Change
  extends Pick<
    RevisionRecord,
    'action' | 'fields' | 'before' | 'restoredRevision' | 'reason' | 'credentialWarnings'
  > {
  columns: Columns
  secret?: NamedSecretWrite
}

/** How a change is made, and when it is refused. */
export interface ChangeConditions {
  /** The agent must be at one of these revisions; null accepts any. */
  expectedRevisions: number[] | null
  /** No agent at this trust stage or a later one may delegate to the agent. */
  refuseIfDependents?: Agent['trust_stage'] | undefined
  /** The bulk request or import that the change is part of. An agent that it has changed already counts as absent. */
  bulkId?: string | undefined
  /** Write nothing: the result is what the change would do now, with the current revision. */
  isDryRun?: boolean | undefined
  /** The update may also change `import_metadata`, `capabilities` and `skills`. Otherwise they are ignored. */
  mayChangeOrigin?: boolean | undefined
}

export interface ChangeRequest extends Omit<ChangeConditions, 'mayChangeOrigin'> {
  caller: Caller
  id: string
  /** The configuration set that makes the change. */
  set?: SetKey
}

export type Decide = (stored: StoredAgent) => Change | undefined

/** Attempts without a row lock. After that, the row is locked before it is read. */
const ATTEMPTS_WITHOUT_LOCK = 3

/** Reads the agent, calls `decide` and writes the result if no other writer has changed the agent since the read.
 * Otherwise it tries again, so `decide` can run several times. If `decide` returns undefined, nothing is written. */
export async function changeAgent(core: Core, request: ChangeRequest, decide: Decide): Promise<ChangedAgent> {
  const { caller, id } = request
  const sql = core.database.of(caller.teamId)
  const started = await startChange(core, sql, request)
  for (let attempt = 1; attempt <= ATTEMPTS_WITHOUT_LOCK; attempt++) {
    const changed = await tryChange(sql, started, decide)
    if (changed) return changed
  }
  return sql.transaction(async (locked) => {
    await lockAgent(locked, caller.teamId, id)
    return changeLockedAgent(core, locked, request, decide)
  })
}

/** Locks the agent until the end of the transaction. A read in the same statement could be older than the lock.
 * Without a row nothing is locked: another request has deleted the agent, and may recover it during the
 * transaction. */
export async function lockAgent(sql: Statements, teamId: string, id: string): Promise<void> {
  const locked = await sql.read(named('lock-agent')`
SELECT FROM agents WHERE team_id = ${teamId} AND id = ${id} FOR UPDATE`)
  if (locked.length === 0) throw new Problem('agent_not_found')
}

/** As `changeAgent`, for an agent that the transaction has locked. */
export async function changeLockedAgent(
  core: Core,
  sql: Statements,
  request: ChangeRequest,
  decide: Decide,
): Promise<ChangedAgent> {
  const changed = await tryChange(sql, await startChange(core, sql, request), decide)
  if (!changed) throw new Error('An agent changed while its row was locked')
  return changed
}

/** A request with what is the same in each attempt. */
type StartedChange = Awaited<ReturnType<typeof startChange>>

async function startChange({ now, newId }: Core, sql: Statements, request: ChangeRequest) {
  const { caller, id, refuseIfDependents } = request
  return {
    ...request,
    /** Unix time in seconds. */
    now: Math.floor(now() / 1_000),
    auditId: newId(),
    mustNotBreak: await mustRefuse(sql, caller.teamId, id, refuseIfDependents),
  }
}

/** Undefined if another writer changed the agent since the read. */
async function tryChange(
  sql: Statements,
  request: StartedChange,
  decide: Decide,
): Promise<ChangedAgent | undefined> {
  const { caller, id, expectedRevisions, now, auditId, mustNotBreak, bulkId, set, isDryRun } = request
  const [row] = await sql.read<AgentRow>(agentToChange(caller.teamId, id, bulkId))
  if (!row) throw new Problem('agent_not_found')
  const { text, revision, bytes } = row
  if (expectedRevisions && !expectedRevisions.includes(revision)) throw new Problem('revision_stale')
  const agent = JSON.parse(text) as Agent
  const changedAt = Math.max(agent.updated_at, now)
  const next = revision + 1
  const change = decide({
    agent,
    fingerprints: { api_key: row.api_key_fingerprint, github_token: row.github_token_fingerprint },
    secretRevisions: { api_key: row.api_key_revision, github_token: row.github_token_revision },
    namedSecrets: row.named_secrets ?? {},
    setVersion: row.set_version,
    nextRevision: next,
    changedAt,
    mustNotBreak,
  })
  if (!change) return { text, revision, fields: [] }

  const { columns, secret, ...rest } = change
  const changed = CHANGEABLE_COLUMNS.map(({ name }) => name).filter((name) => name in columns)
  const newBytes =
    bytes - bytesOf(changed.map((name) => agent[name])) + bytesOf(changed.map((name) => columns[name]))
  refuseTooLarge(newBytes)
  const { credentialWarnings, fields } = change
  const result = {
    text: textAfter(agent, columns, changedAt),
    fields,
    ...(credentialWarnings && { credentialWarnings }),
  }
  if (isDryRun) return { ...result, revision }

  // If a set takes or releases fields after the agent was read, the statement below finds another set_version and
  // writes nothing.
  const owners = row.set_version > 0 ? await findOwners(sql, caller.teamId, id) : []
  const record = {
    ...rest,
    caller,
    id,
    revision: next,
    changedAt,
    auditId,
    bulkId,
    set,
    driftedSets: driftedSets(owners, change.fields, set),
  }
  const isNewBehaviour = BEHAVIOUR_FIELDS.some((name) => change.fields.includes(name))
  const written = await sql.write(
    changeStatement(
      record,
      { ...columns, bytes: newBytes, ...(isNewBehaviour && { behaviour_revision: next }) },
      { bytes, setVersion: row.set_version },
      secret,
    ),
  )
  return written.length === 0 ? undefined : { ...result, revision: next }
}

/** The agent that was read, with the changed fields, as JSON. Cheaper than reading the new text from PostgreSQL. */
function textAfter(agent: Agent, columns: Columns, changedAt: number): string {
  const changed: Record<string, unknown> = { ...agent, updated_at: changedAt }
  for (const [name, value] of Object.entries(columns)) if (name in agent) changed[name] = value
  if ('api_key_mask' in columns) changed['api_key'] = columns['api_key_mask']
  return JSON.stringify(changed)
}

interface AgentRow extends AgentText {
  bytes: number
  api_key_fingerprint: Buffer | null
  github_token_fingerprint: Buffer | null
  api_key_revision: number | null
  github_token_revision: number | null
  named_secrets: NamedSecrets | null
  set_version: number
}

/** The agent as a change reads it, unless the bulk request has changed it already. */
export function agentToChange(teamId: string, id: string, bulkId: string | undefined): Statement {
  const team = param(teamId)
  const agent = param(id)
  return named(`read-agent-to-change${bulkId === undefined ? '' : '-in-bulk'}`)`
SELECT a.revision, ${AGENT_TEXT}, a.bytes, a.api_key_fingerprint, a.github_token_fingerprint, a.api_key_revision,
  a.github_token_revision, a.named_secrets, a.set_version
FROM agents a, ${AGENT}
WHERE a.team_id = ${team} AND a.id = ${agent}
${bulkId === undefined ? EMPTY : fragment`AND ${isUnchangedBy(bulkId, team, agent)}`}`
}

const AGENT = agentSql('a')
