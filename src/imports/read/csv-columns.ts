import { AGENT_SCHEMAS } from '../../contract/agent.ts'
import { AgentImportRow } from '../../contract/imports.ts'
import { type Cell, unreadable } from './csv.ts'

/** A column of a CSV file. */
export interface Column {
  /** The field, and for a column such as `agent_params.temperature` the members within it. */
  path: readonly string[]
  /** `by_content`: the API document does not declare the member. */
  kind: 'text' | 'boolean' | 'number' | 'json' | 'by_content' | 'ignored'
}

const MAX_DEPTH = 8

/** The columns that the first line of a file names. */
export function readColumns(cells: readonly Cell[]): Column[] {
  const names = cells.map(({ text }) => text.trim())
  // Spreadsheets write columns without a name after those that were used.
  const repeated = names.find((name, index) => name !== '' && names.indexOf(name) !== index)
  if (repeated !== undefined) {
    throw unreadable(1, `two columns have the same name, ${showName(repeated)}`)
  }
  const columns = names.map(toColumn)
  if (columns.every(({ kind }) => kind === 'ignored')) throw unreadable(1, NO_FIELD)
  return columns
}

const NO_FIELD =
  'no column has the name of a field; it must have names such as external_key,agent_name,model_name, separated by commas'

const MAX_NAME_LENGTH = 100
const showName = (name: string) => name.slice(0, MAX_NAME_LENGTH).toWellFormed()

interface Schema {
  $id?: string
  type?: string | string[]
  $ref?: string
  anyOf?: Schema[]
  properties?: Record<string, Schema>
}

function toColumn(name: string): Column {
  const path = name.split('.')
  const isKnown = Object.hasOwn(AgentImportRow.properties, path[0] ?? '')
  if (!isKnown) return { path: [name], kind: 'ignored' }
  if (path.length > MAX_DEPTH || path.includes('__proto__') || path.includes('')) {
    throw unreadable(1, `the name of a column is not valid: ${showName(name)}`)
  }
  return { path, kind: kindOf(path.reduce<Schema | undefined>(member, AgentImportRow as Schema)) }
}

const NAMED = new Map((AGENT_SCHEMAS as Schema[]).map((schema) => [`${schema.$id}#`, schema]))

function member(schema: Schema | undefined, name: string): Schema | undefined {
  const { properties = {} } = schema ?? {}
  return Object.hasOwn(properties, name) ? resolve(properties[name]) : undefined
}

/** The schema itself, of one that may also be null or is a reference. */
function resolve(schema: Schema | undefined): Schema | undefined {
  const other = schema?.anyOf?.find(({ type }) => type !== 'null') ?? schema
  return other?.$ref === undefined ? other : NAMED.get(other.$ref)
}

function kindOf(schema: Schema | undefined): Column['kind'] {
  const types = [schema?.type ?? []].flat()
  if (types.length === 0) return 'by_content'
  // A decimal number is a text or a number, and keeps its digits as a text.
  if (types.includes('string')) return 'text'
  if (types.includes('boolean')) return 'boolean'
  return types.includes('integer') || types.includes('number') ? 'number' : 'json'
}
