import type { FastifyReply } from 'fastify'
import { type Static, Type } from 'typebox'
import { headerList, IfMatch, ignoredFields, revisionsToMatch, toETag } from '../api/headers.ts'
import type { AgentText, ChangeConditions, StoredAgent } from './change.ts'
import type { Columns } from './change-statement.ts'
import { CHANGEABLE_COLUMNS, type ChangeableColumn, type ColumnValues, SETTABLE_COLUMNS } from './columns.ts'
import { RefuseIfDependents } from './dependents.ts'
import type { ColumnType } from './fields.ts'
import type { Agent } from './schema.ts'

/** The columns that a change sets to another value, with their new values. */
export function changedColumns(agent: Agent, values: ColumnValues): Columns {
  const changed: Columns = {}
  for (const column of CHANGEABLE_COLUMNS) {
    const given = values[column.name]
    const value = column.type === 'numeric' && typeof given === 'string' ? toNumericText(given) : given
    if (value === undefined || (value === null && column.ignoresNull)) continue
    if (!isSame(column.type, agent[column.name], value)) changed[column.name] = value
  }
  return changed
}

function isSame(type: ColumnType, stored: unknown, value: unknown): boolean {
  if (type === 'json') return isSameJson(stored, value)
  if (type === 'numeric' && typeof stored === 'string' && typeof value === 'string') {
    return withoutTrailingZeros(stored) === withoutTrailingZeros(value)
  }
  return stored === value
}

/** The order of members does not matter, and 1.0 is 1. Unlike util.isDeepStrictEqual, it treats -0 and 0 as equal. */
function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [names, others] = [Object.keys(a), Object.keys(b)]
  return (
    names.length === others.length &&
    names.every((name) => Object.hasOwn(b, name) && isSameJson(a[name as never], b[name as never]))
  )
}

/** A decimal number as PostgreSQL writes it: `+007.10` is `7.10`, and zero has no sign. */
function toNumericText(text: string): string {
  const [whole = '', fraction = ''] = text.replace(/^[+-]/, '').split('.')
  const digits = `${whole.replace(/^0+/, '') || '0'}${fraction && `.${fraction}`}`
  return text.startsWith('-') && /[1-9]/.test(digits) ? `-${digits}` : digits
}

/** `7.10` and `7.1` are the same number. */
function withoutTrailingZeros(numeric: string): string {
  return numeric.includes('.') ? numeric.replace(/\.?0+$/, '') : numeric
}

type Values = Partial<Record<ChangeableColumn, unknown>>

const pick = (columns: readonly { name: ChangeableColumn }[], body: Values): ColumnValues =>
  Object.fromEntries(
    columns.filter(({ name }) => body[name] !== undefined).map(({ name }) => [name, body[name]]),
  )

/** The values in an agent or in a request body that an update by `PUT` can set. */
export const settableValues = (body: Values): ColumnValues => pick(SETTABLE_COLUMNS, body)

/** The same, with those that describe where the agent came from. */
export const changeableValues = (body: Values): ColumnValues => pick(CHANGEABLE_COLUMNS, body)

/** A change of columns as a revision records it. */
export function describeColumns({ agent, secretRevisions }: StoredAgent, columns: Columns) {
  const fields: string[] = CHANGEABLE_COLUMNS.map(({ name }) => name).filter((name) => name in columns)
  const before: Record<string, unknown> = Object.fromEntries(
    fields.map((field) => [field, agent[field as keyof Agent] ?? null]),
  )
  // The token is part of the field: undoing the change must also bring back which token it was.
  if ('white_box_config' in columns) before['github_token_revision'] = secretRevisions.github_token
  return { columns, fields, before }
}

export function sendAgent(reply: FastifyReply, { text, revision, credentialWarnings = [] }: AgentText) {
  const warnings = headerList(credentialWarnings)
  if (warnings !== undefined) reply.header('console-credential-warnings', warnings)
  return sendJson(reply.header('etag', toETag(revision)), text)
}

/** Sends what is already JSON, without serialising it. */
export function sendJson(reply: FastifyReply, json: string | Buffer) {
  return reply.type('application/json; charset=utf-8').serializer(asIs).send(json)
}

const asIs = (text: unknown) => text as string

export function setIgnoredFieldsHeader(
  reply: FastifyReply,
  body: object,
  schema: { properties: object },
): void {
  const names = ignoredFields(body, schema)
  if (names !== undefined) reply.header('console-ignored-fields', names)
}

/** The request headers that make a change of one agent conditional. */
export const ConditionHeaders = Type.Object({ ...IfMatch.properties, ...RefuseIfDependents.properties })

export function conditionsOf(headers: Static<typeof ConditionHeaders>): ChangeConditions {
  return {
    expectedRevisions: revisionsToMatch(headers['if-match']),
    refuseIfDependents: headers['console-refuse-if-dependents'],
  }
}
