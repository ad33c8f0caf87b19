import { createHash } from 'node:crypto'
import { RequestValidationError } from './problem.ts'
import { parseUuid } from './uuid.ts'

/** A cursor holds the position at which a page ended and a digest of the query: it is only valid for the same filters.
 * Clients can forge one, so it grants no access. */

type Position = (string | number)[]

/** Whether a decoded position has the expected form. */
type IsPosition = (position: unknown[]) => boolean

export function encodeCursor(query: unknown, position: Position): string {
  return Buffer.from(JSON.stringify([digest(query), ...position])).toString('base64url')
}

/** A page of rows, of which one more than the limit was read. */
export function toPage<Row>(
  rows: readonly Row[],
  limit: number,
  query: unknown,
  positionOf: (last: Row) => Position,
): { results: Row[]; next_cursor: string | null } {
  const results = rows.slice(0, limit)
  const last = results.at(-1)
  return { results, next_cursor: rows.length > limit && last ? encodeCursor(query, positionOf(last)) : null }
}

export function decodeCursor(
  query: unknown,
  cursor: string | undefined,
  isPosition: IsPosition,
): Position | undefined {
  if (cursor === undefined) return undefined
  const parts = parse(cursor)
  if (!Array.isArray(parts) || parts[0] !== digest(query) || !isPosition(parts.slice(1))) {
    throw new RequestValidationError([
      {
        loc: ['query', 'cursor'],
        msg: 'Value error, this cursor is not valid for these filters; start again without a cursor',
        type: 'value_error',
      },
    ])
  }
  return parts.slice(1) as Position
}

/** Whether `part` is a UUID in the format the console writes; PostgreSQL rejects some formats that requests may use. */
export function isCanonicalUuid(part: unknown): part is string {
  const parsed = typeof part === 'string' ? parseUuid(part) : undefined
  return parsed?.ok === true && parsed.uuid === part
}

function digest(query: unknown): string {
  return createHash('sha256').update(JSON.stringify(query)).digest('base64url').slice(0, 11)
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return undefined
  }
}
