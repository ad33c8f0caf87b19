import { Type } from 'typebox'
import { MAX_REASON_LENGTH } from '../../contract/change-reason.ts'
import { Problem } from '../../contract/problem.ts'
import { parseUuid } from '../../contract/uuid.ts'
import type { Caller } from '../../platform/identity/identity.ts'
import type { AgentFunctions } from '../agent-functions.ts'

/** Members that several tools share. */

/** The id of an agent. */
export const Id = Type.String({ format: 'uuid' })

export const Revision = (description: string) => Type.Integer({ minimum: 1, description })

export const Cursor = Type.Optional(
  Type.String({ maxLength: 4_096, description: 'next_cursor of the previous page.' }),
)

export const Limit = (maximum: number, standard: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum, description: `Default: ${standard}.` }))

export const Reason = Type.Optional(
  Type.String({
    maxLength: MAX_REASON_LENGTH,
    description: 'Why; the history shows it.',
  }),
)

export const RequestId = Type.String()

export const NextCursor = Type.Optional(Type.String())

export const FieldNames = Type.Array(Type.String())

/** An object without unknown members: a misspelt argument must not be ignored. */
export const Input = <Properties extends Parameters<typeof Type.Object>[0]>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false })

/** The schema has checked that it is one. */
export function normalId(id: string): string {
  const parsed = parseUuid(id)
  if (!parsed.ok) throw new Problem('agent_not_found')
  return parsed.uuid
}

export function withReason(
  caller: Caller,
  reason: string | undefined,
  { checkReason }: Pick<AgentFunctions, 'checkReason'>,
): Caller {
  const text = reason === undefined ? '' : checkReason(reason)
  return text === '' ? caller : { ...caller, reason: text }
}

export const cursorOf = ({ cursor }: { cursor?: string }) => (cursor === undefined ? {} : { cursor })

export const nextCursor = ({ next_cursor: next }: { next_cursor: string | null }) =>
  next === null ? {} : { next_cursor: next }
