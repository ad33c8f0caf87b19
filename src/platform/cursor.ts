import { createHash } from 'node:crypto'
import { parseUuid } from '../contract/uuid.ts'
import { RequestInvalid } from '../contract/validation-error.ts'

/** Where a page ended. A cursor is opaque to its holder, carries no authority, and belongs to the question it
 * was given for: with other filters it would continue something else. */

type Position = (string | number)[]

/** Whether a position is one that was given out: anybody can write a cursor. */
type IsPosition = (position: unknown[]) => boolean

export function toCursor(question: unknown, position: Position): string {
  return Buffer.from(JSON.stringify([digest(question), ...position])).toString('base64url')
}

export function readCursor(
  question: unknown,
  cursor: string | undefined,
  isPosition: IsPosition,
): Position | undefined {
  if (cursor === undefined) return undefined
  const parts = parse(cursor)
  if (!Array.isArray(parts) || parts[0] !== digest(question) || !isPosition(parts.slice(1))) {
    throw new RequestInvalid([
      {
        loc: ['query', 'cursor'],
        msg: 'Value error, this cursor does not belong to these filters; start again without it',
        type: 'value_error',
      },
    ])
  }
  return parts.slice(1) as Position
}

/** An id in the spelling it was given out in. PostgreSQL does not know every one that a request may use. */
export function isGivenId(part: unknown): part is string {
  const parsed = typeof part === 'string' ? parseUuid(part) : undefined
  return parsed?.ok === true && parsed.uuid === part
}

function digest(question: unknown): string {
  return createHash('sha256').update(JSON.stringify(question)).digest('base64url').slice(0, 11)
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return undefined
  }
}
