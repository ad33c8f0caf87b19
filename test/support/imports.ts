import assert from 'node:assert/strict'
import type { ValidationError } from '../../src/api/problem.ts'
import type { AgentImportResult, AgentImportRowResult } from '../../src/features/batch/import-schema.ts'
import type { Person, Reply, TestConsole } from './console.ts'

export const IMPORTS = '/v1/agent-imports'

export type ImportBody = AgentImportResult & { code: string; detail: ValidationError[] }

export interface ImportOptions {
  query?: string
  headers?: Record<string, string>
  /** The media type of a body that is sent as it is. */
  type?: string
}

/** Imports rows, or a file if a media type is given. */
export function sendImport(
  { request }: Pick<TestConsole, 'request'>,
  { token }: Pick<Person, 'token'>,
  rows: readonly unknown[] | string,
  { query = '', headers = {}, type }: ImportOptions = {},
): Promise<Reply<ImportBody>> {
  const body = typeof rows === 'string' ? { raw: rows } : { json: { rows } }
  const typed = type === undefined ? headers : { ...headers, 'content-type': type }
  return request<ImportBody>('POST', IMPORTS + query, { token, ...body, headers: typed })
}

/** The results of an import that the console has accepted. */
export async function importRows(...args: Parameters<typeof sendImport>): Promise<AgentImportResult> {
  const { status, text, body } = await sendImport(...args)
  assert.equal(status, 200, text)
  return body
}

/** The rows with the revisions that a dry run has returned, so that they are applied to nothing else. */
export const asPlanned = <Row extends object>(
  rows: readonly Row[],
  { results }: AgentImportResult,
): (Row & { expected_revision: number | null })[] =>
  rows.map((row, index) => ({ ...row, expected_revision: results[index]?.revision ?? null }))

/** Short enough to compare: key, action, revision, fields and code. */
export const shown = (items: readonly AgentImportRowResult[]) =>
  items.map(({ external_key: key, action, revision, fields, error }) => [
    ...[key, action, revision, fields.join()],
    ...(error ? [error.code] : []),
  ])
