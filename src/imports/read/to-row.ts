import { AGENT_DEFAULTS } from '../../contract/agent.ts'
import { EXPORT_FORMAT } from '../../contract/export.ts'
import { AgentImportRow } from '../../contract/imports.ts'
import type { ValidationError } from '../../contract/validation-error.ts'
import type { ImportRow } from '../row.ts'
import { type CheckedValue, isObject, missing, notAnObject } from '../validation.ts'

const { external_key: _, ...FIELDS } = AgentImportRow.properties

/** What a line of an export says about the agent that it was made from, besides its id. */
const OF_EXPORT = ['format', 'id', 'revision', 'team_id', 'created_by', 'created_at', 'updated_at']

/** More are not named. */
const MAX_NAMES = 20
const MAX_NAME_LENGTH = 100

/** The row that a value of a file stands for. */
export function toRow({ value, errors }: CheckedValue, line: number | null): ImportRow {
  const rest = { line, importedAt: null }
  if (!isObject(value)) {
    const faults = value === undefined ? errors : [notAnObject()]
    return { ...rest, externalKey: null, fields: {}, warnings: [], faults }
  }
  const isExport = value['format'] === EXPORT_FORMAT
  const key = value['external_key'] ?? (isExport ? value['id'] : undefined)
  const names = Object.keys(value)
  const ignored = names.filter((name) => isIgnored(name, value[name], isExport))
  return {
    ...rest,
    externalKey: typeof key === 'string' ? key : null,
    fields: Object.fromEntries(
      names.filter((name) => Object.hasOwn(FIELDS, name)).map((name) => [name, value[name]]),
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

/** Members without a value are not worth a warning, and neither is the trust stage that every new agent has. */
function isIgnored(name: string, value: unknown, isExport: boolean): boolean {
  if (name === 'external_key' || Object.hasOwn(FIELDS, name) || value === null) return false
  if (!isExport) return true
  return !OF_EXPORT.includes(name) && !(name === 'trust_stage' && value === AGENT_DEFAULTS.trust_stage)
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_NAME_LENGTH).toWellFormed())
  return `${shown.join(', ')}${names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} others` : ''}`
}
