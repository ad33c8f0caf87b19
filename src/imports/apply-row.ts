import type { Logger } from 'pino'
import type { Agent, AgentCreate } from '../contract/agent.ts'
import type { AgentImportItem } from '../contract/imports.ts'
import { PermissionMissing, Problem } from '../contract/problem.ts'
import { RequestValidationError } from '../contract/validation-error.ts'
import type { Turns } from '../platform/fairness/turns.ts'
import type { Caller } from '../platform/identity/identity.ts'
import type { DoneChange, FoundAgent, ImportAgents, RepeatableImport } from './agents.ts'
import { keepOwnMembers } from './cards/card-members.ts'
import { conflict, failed, invalid, succeeded } from './outcome.ts'
import type { Seen, SeenInPlan } from './plan.ts'
import {
  creationWarnings,
  credentialWarnings,
  keepOtherMembers,
  toUpdate,
  withImportTime,
} from './row-values.ts'
import type { CheckedRow } from './valid-rows.ts'
import { missing } from './validation.ts'

export interface ApplyDeps {
  agents: ImportAgents
  /** A permission that the change of one agent needs, and that the caller does not have. */
  recordRefusal: (caller: Caller, permission: string, agentId: string) => Promise<void>
}

/** One import. */
export interface ImportRun {
  caller: Caller
  turns: Turns
  isDryRun: boolean
  /** What a dry run saw, if the rows may only be applied to that. */
  plan: SeenInPlan | undefined
  /** Undefined without an idempotency key. */
  repeatable: RepeatableImport | undefined
  log: Pick<Logger, 'error' | 'warn'>
}

export interface AppliedRow {
  item: AgentImportItem
  /** The agent that the row was compared with. */
  seen: Seen | undefined
}

/** How often a row is tried while others change its agent. */
const MAX_ATTEMPTS = 3

/** Applies one row in a transaction of its own, or finds out what that would do. Throws only if the request has to end without a
 * response. */
export async function applyRow(
  deps: ApplyDeps,
  run: ImportRun,
  row: CheckedRow,
  firstFound: FoundAgent | undefined,
): Promise<AppliedRow> {
  if (row.faults.length > 0 || row.externalKey === null)
    return { item: invalid(row, row.faults), seen: undefined }
  const { externalKey } = row
  let found = firstFound
  for (let attempt = 1; ; attempt++) {
    const seen = found?.state === 'gone' ? undefined : found
    const result = await tryRow(deps, run, { ...row, externalKey }, found).catch((error: unknown) =>
      handleError(deps, run, row, found, error),
    )
    if (result) return { item: result, seen }
    if (attempt === MAX_ATTEMPTS) return { item: conflict(row, 'revision_stale', seen), seen }
    const find = () => deps.agents.find(run.caller.teamId, [externalKey])
    const again = await run.turns.take('reads', find).catch((error: unknown) => explain(run, row, error))
    if (!Array.isArray(again)) return { item: again, seen }
    ;[found] = again
  }
}

type Row = CheckedRow & { externalKey: string }

/** Undefined if the agent has changed since it was found. */
function tryRow(
  { agents }: ApplyDeps,
  run: ImportRun,
  row: Row,
  found: FoundAgent | undefined,
): Promise<AgentImportItem | undefined> {
  const done = found && run.repeatable?.done.get(found.id)
  if (done) return Promise.resolve(doneBefore(row, done))
  if (found?.state === 'deleted') return Promise.resolve(conflict(row, 'agent_deleted', found))
  return found?.state === 'present' ? update(agents, run, row, found) : create(agents, run, row, found)
}

async function create(
  agents: ImportAgents,
  { caller, turns, isDryRun, plan, repeatable }: ImportRun,
  row: Row,
  gone: FoundAgent | undefined,
): Promise<AgentImportItem | undefined> {
  const values = { ...row.onCreate, ...row.fields }
  const absent = (['agent_name', 'model_name'] as const).filter((name) => values[name] == null)
  if (absent.length > 0)
    return invalid(
      row,
      absent.map((name) => missing(name)),
    )
  if (plan && !plan.isSame(row.index, undefined)) return conflict(row, 'revision_stale', undefined)
  const fields = withImportTime(values, row.importedAt) as AgentCreate
  if (isDryRun) {
    const planned = agents.planImported(caller, fields)
    return succeeded(row, 'create', { fields: planned.fields, warnings: creationWarnings(planned) })
  }
  const { externalKey } = row
  const key = { externalKey, replaces: gone?.id ?? null, bulkId: repeatable?.id }
  const created = await turns.take('writes', () => agents.createImported(caller, fields, key), externalKey)
  return (
    created &&
    succeeded(row, 'create', { agent: created, fields: created.fields, warnings: creationWarnings(created) })
  )
}

async function update(
  agents: ImportAgents,
  run: ImportRun,
  row: Row,
  found: FoundAgent,
): Promise<AgentImportItem> {
  const { turns, isDryRun, plan, repeatable } = run
  const caller = row.isForeign ? withoutSecrets(run.caller) : run.caller
  const { id, revision } = found
  const conditions = { expectedRevisions: [revision], mayChangeOrigin: true, bulkId: repeatable?.id }
  const keepsMembers = row.isForeign || row.members !== undefined
  const given = keepsMembers
    ? await turns.take('reads', () => withOwnMembers(agents, caller, id, row))
    : row.fields
  const planWith = (importedAt: unknown) =>
    turns.take('reads', () => agents.planUpdate(caller, id, toUpdate(given, found, importedAt), conditions))
  const hasMoved = plan !== undefined && !plan.isSame(row.index, found)
  // The time of an import is no change by itself, so it is set only if there is another change.
  if (hasMoved || row.importedAt !== null) {
    const { fields } = await planWith(row.importedAt === null ? null : found.imported_at)
    if (fields.length === 0) return succeeded(row, 'unchanged', { agent: found })
    if (hasMoved) return conflict(row, 'revision_stale', found)
  }
  const fields = toUpdate(given, found, row.importedAt)
  const changed = isDryRun
    ? await planWith(row.importedAt)
    : await turns.take('writes', () => agents.update(caller, id, fields, conditions), id)
  const action = changed.fields.length > 0 ? 'update' : 'unchanged'
  return succeeded(row, action, {
    ...{ agent: found, revision: changed.revision, fields: changed.fields },
    warnings: credentialWarnings(changed.credentialWarnings),
  })
}

/** What the team has added to an object of its agent stays, as in a refresh, and so do the members that a row does not set. */
async function withOwnMembers(
  agents: ImportAgents,
  caller: Caller,
  id: string,
  { fields, isForeign, members = [] }: CheckedRow,
): Promise<CheckedRow['fields']> {
  const { text } = await agents.read(caller, id)
  const agent = JSON.parse(text) as Agent
  return isForeign
    ? { ...fields, ...keepOwnMembers(agent, fields) }
    : keepOtherMembers(agent, fields, members)
}

/** The caller has not seen the URLs of a card: they must not get a stored secret because the caller may read it. */
function withoutSecrets({ permissions, ...caller }: Caller): Caller {
  return { ...caller, permissions: new Set([...permissions].filter((name) => name !== 'agent:secret')) }
}

function doneBefore(row: CheckedRow, { agent_id: id, revision, fields }: DoneChange): AgentImportItem {
  return succeeded(row, revision === 1 ? 'create' : 'update', { agent: { id, revision }, fields })
}

/** Undefined if the row has to be tried again. */
async function handleError(
  { recordRefusal }: ApplyDeps,
  run: ImportRun,
  row: CheckedRow,
  found: FoundAgent | undefined,
  error: unknown,
): Promise<AgentImportItem | undefined> {
  const { caller, repeatable } = run
  const code = codeOf(error)
  if (code === 'client_disconnected') throw error
  let unanswered: AgentImportItem | undefined
  // A repetition that runs at the same time may have applied the row. If the database does not say, that is the result.
  const done =
    found &&
    (await repeatable?.findDone(found.id).catch((lookupError: unknown) => {
      unanswered = explain(run, row, lookupError)
      return undefined
    }))
  if (done) return doneBefore(row, done)
  if (unanswered) return unanswered
  if (code === 'revision_stale' || code === 'agent_not_found') return undefined
  const isRefused = error instanceof PermissionMissing && !caller.permissions.has(error.permission)
  if (isRefused && found) await recordRefusal(caller, error.permission, found.id)
  return explain(run, row, error)
}

/** Throws only if the request has to end without a response. */
function explain({ log }: ImportRun, row: CheckedRow, error: unknown): AgentImportItem {
  const code = codeOf(error)
  if (code === 'client_disconnected') throw error
  const isExpected = code !== undefined || error instanceof RequestValidationError
  if (!isExpected) log.error({ err: error, row: row.index }, 'a row of an import failed')
  return failed(row, error instanceof PermissionMissing && row.isForeign ? movesSecret() : error)
}

const codeOf = (error: unknown) => (error instanceof Problem ? error.code : undefined)

/** In place of the advice to use a token with the permission, which does not help here. */
function movesSecret(): Problem {
  return new Problem('permission_missing', {
    detail:
      'The card moves agent_url to another origin while an api_key is stored. An import does not do this: use the operation ' +
      'refresh-card of the agent with move_interface=true.',
  })
}
