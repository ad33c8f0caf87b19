import { setImmediate as nextTurn } from 'node:timers/promises'
import { AGENT_DEFAULTS } from '../../agent/fields.ts'
import type { ImportedAgent } from '../../agent/imported.ts'
import { type Agent, EXPORT_FORMAT } from '../../agent/schema.ts'
import { missing, type ValidationError, valueError } from '../../api/problem.ts'
import type { CheckedPart, PartValidation } from '../../http/validation/body.ts'
import { isObject } from '../../platform/json.ts'
import { AgentImportRow } from './import-schema.ts'

/** The name of a field, and the names of members within it. */
export type MemberPath = readonly string[]

interface AnyRow {
  /** Identity across the imports of a team. Never the name. Null if it is missing or not valid: `faults` then says
   * why. */
  externalKey: string | null
  /** The members that the row sets of fields that it does not have as a whole, such as `agent_params.temperature`:
   * an update keeps the other members. */
  members?: readonly MemberPath[]
  /** The values were chosen by a third party: the server of a card. An update must not send a stored secret to
   * another origin, even if the caller has the permission `agent:secret`: the caller has not seen the new URL. */
  isForeign?: boolean
  warnings: readonly string[]
  /** `loc` is relative to the row. */
  faults: readonly ValidationError[]
  /** The line of the row in its file, from 1. Null if the format has no lines. */
  line: number | null
  /** The time to store as `import_metadata.imported_at` if the row creates or changes its agent, Unix time in
   * seconds. It is no change by itself. Null: `import_metadata` of the row is stored as it is. */
  importedAt: number | null
}

/** A row as it was read, in whatever format it came. */
export interface ReadRow extends AnyRow {
  fields: Record<string, unknown>
  /** Fields that only a creation sets, such as a model name that a card does not have. */
  onCreate?: Record<string, unknown>
  expectedRevision?: unknown
}

/** A row that can be applied, or one with faults. */
export interface ImportRow extends AnyRow {
  /** From 0. */
  index: number
  /** With normalised values, once there are no faults. */
  fields: RowFields
  onCreate: RowFields
  /** 0: there must be no agent yet. Undefined accepts any revision. */
  expectedRevision: number | undefined
}

export type RowFields = Omit<AgentImportRow, 'external_key' | 'expected_revision'>

const { external_key: _, expected_revision: __, ...FIELDS } = AgentImportRow.properties

/** Reads the row that a value of a file stands for. */
export function readRow({ value, errors }: CheckedPart, line: number | null): ReadRow {
  if (!isObject(value)) {
    const faults = value === undefined ? errors : [notAnObject()]
    return { line, importedAt: null, externalKey: null, fields: {}, warnings: [], faults }
  }
  const isExport = value['format'] === EXPORT_FORMAT
  const key = value['external_key'] ?? (isExport ? value['id'] : undefined)
  const names = Object.keys(value)
  const ignored = names.filter((name) => isIgnored(name, value[name], isExport))
  return {
    line,
    importedAt: null,
    externalKey: typeof key === 'string' ? key : null,
    expectedRevision: value['expected_revision'],
    fields: pick(
      value,
      names.filter((name) => Object.hasOwn(FIELDS, name)),
    ),
    warnings: ignored.length === 0 ? [] : [`The import ignores these members: ${list(ignored)}.`],
    faults: [...errors, ...keyFaults(key)],
  }
}

function keyFaults(key: unknown): ValidationError[] {
  if (typeof key === 'string') return []
  if (key === undefined || key === null) return [missing('external_key')]
  return [{ loc: ['external_key'], msg: 'Input should be a valid string', type: 'string_type' }]
}

/** What a line of an export says about the agent that it was made from, besides its id. */
const OF_EXPORT = ['format', 'id', 'revision', 'team_id', 'created_by', 'created_at', 'updated_at']

/** Members without a value are not worth a warning, and neither is the trust stage that every new agent has. */
function isIgnored(name: string, value: unknown, isExport: boolean): boolean {
  if (Object.hasOwn(AgentImportRow.properties, name) || value === null) return false
  if (!isExport) return true
  return !OF_EXPORT.includes(name) && !(name === 'trust_stage' && value === AGENT_DEFAULTS.trust_stage)
}

/** More are not named. */
const MAX_NAMES = 20
const MAX_NAME_LENGTH = 100

function list(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_NAME_LENGTH).toWellFormed())
  return `${shown.join(', ')}${names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} others` : ''}`
}

/** So short that other requests do not wait for long. A row of CSV with 500 columns alone can take as long. */
const MAX_TURN_MS = 10

/** Validates the rows of an import. */
export async function checkRows(
  rows: AsyncIterable<ReadRow>,
  { validate }: Pick<PartValidation, 'validate'>,
): Promise<ImportRow[]> {
  const checked: ImportRow[] = []
  let turnStartedAt = performance.now()
  for await (const { fields, onCreate = {}, expectedRevision = null, ...row } of rows) {
    const key = row.externalKey === null ? {} : { external_key: row.externalKey }
    const all = { ...onCreate, ...fields, ...key, expected_revision: expectedRevision }
    const { value, errors } = validate(all)
    const values = (value ?? {}) as Record<string, unknown>
    checked.push({
      ...row,
      index: checked.length,
      fields: pick(values, Object.keys(fields)),
      onCreate: pick(values, Object.keys(onCreate)),
      expectedRevision: typeof expectedRevision === 'number' ? expectedRevision : undefined,
      faults: once([...row.faults, ...errors]),
    })
    if (performance.now() - turnStartedAt < MAX_TURN_MS) continue
    await nextTurn()
    turnStartedAt = performance.now()
  }
  return refuseRepeated(checked, ({ externalKey }) => externalKey, 'has the same external key')
}

const pick = (values: Record<string, unknown>, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, values[name]]))

/** Adds a fault to rows that are the same by something: which of them should count is not for the console to decide. */
export function refuseRepeated(
  rows: readonly ImportRow[],
  identify: (row: ImportRow) => string | null | undefined,
  reason: string,
): ImportRow[] {
  const groups = Map.groupBy(rows, identify)
  return rows.map((row) => {
    const identity = identify(row)
    const other =
      identity == null ? undefined : groups.get(identity)?.find(({ index }) => index !== row.index)
    if (!other) return row
    return { ...row, faults: [...row.faults, valueError(['external_key'], `row ${other.index} ${reason}`)] }
  })
}

/** A fault that reading found is not reported again by the validation. */
function once(faults: readonly ValidationError[]): ValidationError[] {
  const byPlace = new Map(faults.toReversed().map((fault) => [JSON.stringify(fault.loc), fault]))
  return [...byPlace.values()].toReversed()
}

export const notAnObject = (hint = ''): ValidationError => ({
  loc: [],
  msg: `Input should be a valid dictionary or object to extract fields from${hint}`,
  type: 'model_attributes_type',
})

/** The fields that an update of the agent sends. A row that has no GitHub token keeps that of the agent: exports
 * have none, and an update without it would clear it. */
export function toUpdate(fields: RowFields, found: ImportedAgent, importedAt: unknown): RowFields {
  const { white_box_config: config } = fields
  const mask = found.github_token_mask
  const keepsToken = config && mask !== null && !Object.hasOwn(config, 'github_token')
  return withImportTime(
    keepsToken ? { ...fields, white_box_config: { ...config, github_token: mask } } : fields,
    importedAt,
  )
}

/** With the time of the import in `import_metadata`, if there is one. */
export function withImportTime(fields: RowFields, importedAt: unknown): RowFields {
  if (!fields.import_metadata || typeof importedAt !== 'number') return fields
  return { ...fields, import_metadata: { ...fields.import_metadata, imported_at: importedAt } }
}

/** The fields of a row, with the members of the agent that the row does not set. */
export function keepOtherMembers(agent: Agent, fields: RowFields, members: readonly MemberPath[]): RowFields {
  const own = Object.fromEntries(members.map(([field = '']) => [field, agent[field as keyof Agent]]))
  return members.reduce<RowFields>((values, path) => withMember(values, path, fields), { ...fields, ...own })
}

/** `values` with the member of `given` at this path. */
function withMember(values: unknown, [name, ...rest]: MemberPath, given: unknown): object {
  if (name === undefined) return given as object
  const own = isObject(values) ? values : {}
  return { ...own, [name]: withMember(own[name], rest, (given as Record<string, unknown>)[name]) }
}
