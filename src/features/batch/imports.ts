import { readAgent, updateAgent } from '../../agent/agents.ts'
import { toIdempotencyKey } from '../../agent/create-once.ts'
import { createImportedAgent, findByExternalKeys, type ImportedAgent } from '../../agent/imported.ts'
import type { Agent, AgentCreate } from '../../agent/schema.ts'
import type { Caller } from '../../api/caller.ts'
import { missing, Problem } from '../../api/problem.ts'
import type { Core } from '../../core.ts'
import { keepOwnMembers } from '../cards/feature.ts'
import { type ImportBody, type ImportValidation, readRows } from './import-body.ts'
import {
  checkRows,
  type ImportRow,
  keepOtherMembers,
  type RowFields,
  refuseRepeated,
  toUpdate,
  withImportTime,
} from './import-rows.ts'
import type { AgentImportResult, AgentImportRowResult } from './import-schema.ts'
import type { DoneChange } from './repetition.ts'
import {
  conflictRow,
  creationWarnings,
  credentialWarnings,
  failedRow,
  invalidRow,
  succeededRow,
  toImportResult,
} from './row-result.ts'
import { type Batch, type BatchOptions, isStale, runBatch } from './run-batch.ts'

/** Creates and changes many agents. */
export async function importAgents(
  core: Core,
  validation: ImportValidation,
  user: Caller,
  body: ImportBody,
  { isDryRun, idempotencyKey: given, ...options }: BatchOptions,
): Promise<AgentImportResult> {
  const caller: Caller = { ...user, via: 'import' }
  const context = { teamId: caller.teamId, signal: options.signal }
  const rows = await checkRows(readRows(core, validation, body, context), validation.rows)
  const key =
    isDryRun || given === undefined
      ? undefined
      : toIdempotencyKey(core.secrets, caller, given, hashedPart(body), 'import:')
  const batch = new ImportBatch(core, caller, rows, isDryRun)
  return toImportResult(await runBatch({ core, caller, key, ...options }, batch), isDryRun)
}

/** What a repetition with the same idempotency key must send again. */
const hashedPart = ({ contentType, bytes }: ImportBody) => ['import', contentType, bytes?.toString('base64')]

/** So few that another team does not wait for long. */
const KEYS_AT_A_TIME = 100

class ImportBatch implements Batch<ImportRow, AgentImportRowResult> {
  readonly #core: Core
  readonly #caller: Caller
  readonly #rows: readonly ImportRow[]
  readonly #isDryRun: boolean
  /** The agents of external keys. */
  readonly #agents = new Map<string, ImportedAgent>()

  constructor(core: Core, caller: Caller, rows: readonly ImportRow[], isDryRun: boolean) {
    this.#core = core
    this.#caller = caller
    this.#rows = rows
    this.#isDryRun = isDryRun
  }

  async readItems(): Promise<ImportRow[]> {
    const keys = this.#rows.flatMap(({ externalKey, faults }) =>
      externalKey === null || faults.length > 0 ? [] : [externalKey],
    )
    for (let start = 0; start < keys.length; start += KEYS_AT_A_TIME) {
      await this.#find(keys.slice(start, start + KEYS_AT_A_TIME))
    }
    // Two external keys can stand for one agent: its own and its id.
    return refuseRepeated(this.#rows, (row) => this.agentOf(row), 'is the same agent')
  }

  agentOf = (row: ImportRow) => (row.faults.length > 0 ? undefined : this.#agentOf(row)?.id)

  async apply(row: ImportRow, bulkId: string | undefined): Promise<AgentImportRowResult> {
    if (row.faults.length > 0 || row.externalKey === null) return invalidRow(row, row.faults)
    const found = this.#agentOf(row)
    if (found?.state === 'deleted') return conflictRow(row, 'agent_deleted', found)
    if (found?.state === 'present') return this.#update(row, found, bulkId)
    return this.#create(row, row.externalKey, found, bulkId)
  }

  async readAgain({ externalKey }: ImportRow): Promise<void> {
    if (externalKey !== null) await this.#find([externalKey])
  }

  done(row: ImportRow, { agent_id, revision, fields }: DoneChange): AgentImportRowResult {
    return succeededRow(row, revision === 1 ? 'create' : 'update', { agent_id, revision, fields })
  }

  failed(row: ImportRow, error: unknown): AgentImportRowResult {
    if (!isStale(error)) return failedRow(row, error)
    const found = this.#agentOf(row)
    return conflictRow(row, 'revision_stale', found?.state === 'gone' ? undefined : found)
  }

  #agentOf = ({ externalKey }: ImportRow) => this.#agents.get(externalKey ?? '')

  async #find(keys: readonly string[]): Promise<void> {
    const { database, now } = this.#core
    const { teamId } = this.#caller
    const nowSeconds = Math.floor(now() / 1_000)
    const found = await findByExternalKeys(database.of(teamId), teamId, keys, nowSeconds)
    for (const key of keys) this.#agents.delete(key)
    for (const agent of found) this.#agents.set(agent.external_key, agent)
  }

  async #create(
    row: ImportRow,
    externalKey: string,
    gone: ImportedAgent | undefined,
    bulkId: string | undefined,
  ): Promise<AgentImportRowResult> {
    const values = { ...row.onCreate, ...row.fields }
    const absent = (['agent_name', 'model_name'] as const).filter((name) => values[name] == null)
    if (absent.length > 0) {
      return invalidRow(
        row,
        absent.map((name) => missing(name)),
      )
    }
    if ((row.expectedRevision ?? 0) !== 0) return conflictRow(row, 'revision_stale')
    const fields = withImportTime(values, row.importedAt) as AgentCreate
    const conditions = { externalKey, replaces: gone?.id ?? null, bulkId, isDryRun: this.#isDryRun }
    const created = await createImportedAgent(this.#core, this.#caller, fields, conditions)
    // Another import has created the agent since.
    if (!created) throw new Problem('revision_stale')
    return succeededRow(row, 'create', {
      agent_id: created.id,
      revision: created.revision,
      fields: created.fields,
      warnings: creationWarnings(created),
    })
  }

  async #update(
    row: ImportRow,
    found: ImportedAgent,
    bulkId: string | undefined,
  ): Promise<AgentImportRowResult> {
    const { id, revision, imported_at: importedBefore } = found
    const caller = row.isForeign ? withoutSecrets(this.#caller) : this.#caller
    const given = await this.#fieldsFor(row, id)
    const update = (importedAt: unknown, isDryRun: boolean) =>
      updateAgent(this.#core, caller, id, toUpdate(given, found, importedAt), {
        expectedRevisions: [revision],
        mayChangeOrigin: true,
        bulkId,
        isDryRun,
      })
    const hasMoved = row.expectedRevision !== undefined && row.expectedRevision !== revision
    // The time of an import is no change by itself, so it is set only if there is another change.
    if (hasMoved || row.importedAt !== null) {
      const { fields } = await update(row.importedAt === null ? null : importedBefore, true)
      if (fields.length === 0) return succeededRow(row, 'unchanged', { agent_id: id, revision, fields })
      if (hasMoved) return conflictRow(row, 'revision_stale', found)
    }
    const changed = await update(row.importedAt, this.#isDryRun)
    return succeededRow(row, changed.fields.length > 0 ? 'update' : 'unchanged', {
      agent_id: id,
      revision: changed.revision,
      fields: changed.fields,
      warnings: credentialWarnings(changed.credentialWarnings),
    })
  }

  /** What the team has added to an object of its agent stays, as in a refresh, and so do the members that a row
   * does not set. */
  async #fieldsFor({ fields, isForeign, members }: ImportRow, id: string): Promise<RowFields> {
    if (!isForeign && !members) return fields
    const { text } = await readAgent(this.#core, this.#caller, id)
    const agent = JSON.parse(text) as Agent
    return isForeign
      ? { ...fields, ...keepOwnMembers(agent, fields) }
      : keepOtherMembers(agent, fields, members ?? [])
  }
}

/** The caller has not seen the URLs of a card: they must not get a stored secret because the caller may read it. */
function withoutSecrets({ permissions, ...caller }: Caller): Caller {
  return { ...caller, permissions: new Set([...permissions].filter((name) => name !== 'agent:secret')) }
}
