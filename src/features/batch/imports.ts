import type { Logger } from 'pino'
import type { Agents } from '../../agent/agents.ts'
import { idempotencyKey } from '../../agent/create-once.ts'
import { findByExternalKeys, type ImportedAgent } from '../../agent/queries.ts'
import type { Agent, AgentCreate } from '../../agent/schema.ts'
import type { Caller } from '../../api/caller.ts'
import { missing, Problem } from '../../api/problem.ts'
import type { Secrets } from '../../platform/crypto/secrets.ts'
import { type ImportBody, type ReadDeps, readRows } from './import-body.ts'
import {
  checkRows,
  type ImportRow,
  keepOtherMembers,
  keepOwnMembers,
  type RowFields,
  refuseRepeated,
  toUpdate,
  withImportTime,
} from './import-rows.ts'
import type { AgentImportResult, AgentImportRowResult } from './import-schema.ts'
import type { DoneChange } from './repetition.ts'
import {
  conflict,
  creationWarnings,
  credentialWarnings,
  failed,
  invalid,
  succeeded,
  toResult,
} from './row-result.ts'
import { type Batch, type BatchDeps, isStale, runBatch } from './run-batch.ts'

export interface ImportsDeps extends ReadDeps, BatchDeps {
  agents: Pick<Agents, 'read' | 'createImported' | 'planImported' | 'update' | 'planUpdate'>
  secrets: Secrets
}

export interface ImportContext {
  isDryRun: boolean
  idempotencyKey: string | undefined
  /** Aborted, with the error to throw, when the client disconnects. */
  signal: AbortSignal
  log: Pick<Logger, 'error' | 'warn'>
}

export type Imports = ReturnType<typeof createImports>

/** Creates and changes many agents. */
export function createImports(deps: ImportsDeps) {
  return async (
    user: Caller,
    body: ImportBody,
    { isDryRun, idempotencyKey: given, signal, log }: ImportContext,
  ): Promise<AgentImportResult> => {
    const caller: Caller = { ...user, via: 'import' }
    const rows = await checkRows(readRows(deps, body, { teamId: caller.teamId, signal }), deps.rows)
    const key =
      isDryRun || given === undefined
        ? undefined
        : idempotencyKey(deps.secrets, caller, given, hashedPart(body), 'import:')
    const batch = new ImportBatch(deps, caller, rows, isDryRun)
    return toResult(await runBatch(deps, { caller, key, signal, log }, batch), isDryRun)
  }
}

/** What a repetition with the same idempotency key must send again. */
const hashedPart = ({ contentType, bytes }: ImportBody) => ['import', contentType, bytes?.toString('base64')]

/** So few that another team does not wait for long. */
const KEYS_AT_A_TIME = 100

class ImportBatch implements Batch<ImportRow, AgentImportRowResult> {
  readonly #deps: ImportsDeps
  readonly #caller: Caller
  readonly #rows: readonly ImportRow[]
  readonly #isDryRun: boolean
  /** The agents of external keys. */
  readonly #agents = new Map<string, ImportedAgent>()

  constructor(deps: ImportsDeps, caller: Caller, rows: readonly ImportRow[], isDryRun: boolean) {
    this.#deps = deps
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
    if (row.faults.length > 0 || row.externalKey === null) return invalid(row, row.faults)
    const found = this.#agentOf(row)
    if (found?.state === 'deleted') return conflict(row, 'agent_deleted', found)
    if (found?.state === 'present') return this.#update(row, found, bulkId)
    return this.#create(row, row.externalKey, found, bulkId)
  }

  async readAgain({ externalKey }: ImportRow): Promise<void> {
    if (externalKey !== null) await this.#find([externalKey])
  }

  done(row: ImportRow, { agent_id, revision, fields }: DoneChange): AgentImportRowResult {
    return succeeded(row, revision === 1 ? 'create' : 'update', { agent_id, revision, fields })
  }

  failed(row: ImportRow, error: unknown): AgentImportRowResult {
    if (!isStale(error)) return failed(row, error)
    const found = this.#agentOf(row)
    return conflict(row, 'revision_stale', found?.state === 'gone' ? undefined : found)
  }

  #agentOf = ({ externalKey }: ImportRow) => this.#agents.get(externalKey ?? '')

  async #find(keys: readonly string[]): Promise<void> {
    const { sql, now } = this.#deps
    const nowSeconds = Math.floor(now() / 1_000)
    const { teamId } = this.#caller
    const found = await findByExternalKeys(sql.of(teamId), teamId, keys, nowSeconds)
    for (const key of keys) this.#agents.delete(key)
    for (const agent of found) this.#agents.set(agent.external_key, agent)
  }

  async #create(
    row: ImportRow,
    externalKey: string,
    gone: ImportedAgent | undefined,
    bulkId: string | undefined,
  ): Promise<AgentImportRowResult> {
    const { agents } = this.#deps
    const caller = this.#caller
    const values = { ...row.onCreate, ...row.fields }
    const absent = (['agent_name', 'model_name'] as const).filter((name) => values[name] == null)
    if (absent.length > 0) {
      return invalid(
        row,
        absent.map((name) => missing(name)),
      )
    }
    if ((row.expectedRevision ?? 0) !== 0) return conflict(row, 'revision_stale')
    const fields = withImportTime(values, row.importedAt) as AgentCreate
    if (this.#isDryRun) {
      const planned = agents.planImported(caller, fields)
      const warnings = creationWarnings(planned)
      return succeeded(row, 'create', { agent_id: null, revision: 0, fields: planned.fields, warnings })
    }
    const key = { externalKey, replaces: gone?.id ?? null, bulkId }
    const created = await agents.createImported(caller, fields, key)
    // Another import has created the agent since.
    if (!created) throw new Problem('revision_stale')
    const { id, revision } = created
    return succeeded(row, 'create', {
      agent_id: id,
      revision,
      fields: created.fields,
      warnings: creationWarnings(created),
    })
  }

  async #update(
    row: ImportRow,
    found: ImportedAgent,
    bulkId: string | undefined,
  ): Promise<AgentImportRowResult> {
    const { agents } = this.#deps
    const { id, revision, imported_at: importedBefore } = found
    const caller = row.isForeign ? withoutSecrets(this.#caller) : this.#caller
    const conditions = { expectedRevisions: [revision], mayChangeOrigin: true, bulkId }
    const given = await this.#fieldsFor(row, id)
    const planWith = (importedAt: unknown) =>
      agents.planUpdate(caller, id, toUpdate(given, found, importedAt), conditions)
    const hasMoved = row.expectedRevision !== undefined && row.expectedRevision !== revision
    // The time of an import is no change by itself, so it is set only if there is another change.
    if (hasMoved || row.importedAt !== null) {
      const { fields } = await planWith(row.importedAt === null ? null : importedBefore)
      if (fields.length === 0) return succeeded(row, 'unchanged', { agent_id: id, revision, fields })
      if (hasMoved) return conflict(row, 'revision_stale', found)
    }
    const fields = toUpdate(given, found, row.importedAt)
    const changed = this.#isDryRun
      ? await planWith(row.importedAt)
      : await agents.update(caller, id, fields, conditions)
    return succeeded(row, changed.fields.length > 0 ? 'update' : 'unchanged', {
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
    const { text } = await this.#deps.agents.read(this.#caller, id)
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
