import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AgentImportRow } from '../contract/imports.ts'
import type { ValidationError } from '../contract/validation-error.ts'
import type { ImportRow } from './row.ts'
import { type Validation, valueError } from './validation.ts'

type RowFields = Omit<AgentImportRow, 'external_key'>

/** A row that can be applied, or one with faults. */
export interface CheckedRow extends Omit<ImportRow, 'fields' | 'onCreate'> {
  /** From 0. */
  index: number
  /** With normalised values, once there are no faults. */
  fields: RowFields
  onCreate: RowFields
  faults: readonly ValidationError[]
}

/** So short that other requests do not wait for long. A row of CSV with 500 columns alone can take as long. */
const MAX_TURN_MS = 10

/** Validates the rows of an import. */
export async function checkRows(
  rows: AsyncIterable<ImportRow>,
  validation: Validation,
): Promise<CheckedRow[]> {
  const checked: CheckedRow[] = []
  let turnStartedAt = performance.now()
  for await (const { fields, onCreate = {}, ...row } of rows) {
    const key = row.externalKey === null ? {} : { external_key: row.externalKey }
    const { value, errors } = validation.validate({ ...onCreate, ...fields, ...key })
    checked.push({
      ...{ ...row, index: checked.length, faults: once([...row.faults, ...errors]) },
      fields: pick(value, Object.keys(fields)),
      onCreate: pick(value, Object.keys(onCreate)),
    })
    if (performance.now() - turnStartedAt < MAX_TURN_MS) continue
    await nextTurn()
    turnStartedAt = performance.now()
  }
  return refuseRepeated(checked, ({ externalKey }) => externalKey, 'has the same external key')
}

function pick(value: unknown, names: readonly string[]): RowFields {
  const values = (value ?? {}) as Record<string, unknown>
  return Object.fromEntries(names.map((name) => [name, values[name]]))
}

/** Adds a fault to rows that are the same by something: which of them should count is not for the console to decide. */
export function refuseRepeated(
  rows: readonly CheckedRow[],
  identify: (row: CheckedRow) => string | null | undefined,
  reason: string,
): CheckedRow[] {
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
  return [
    ...new Map(faults.toReversed().map((fault) => [JSON.stringify(fault.loc), fault])).values(),
  ].toReversed()
}
