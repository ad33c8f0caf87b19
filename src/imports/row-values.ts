import type { Agent } from '../contract/agent.ts'
import type { Creation, FoundAgent } from './agents.ts'
import type { MemberPath } from './row.ts'
import type { CheckedRow } from './valid-rows.ts'
import { isObject } from './validation.ts'

type Fields = CheckedRow['fields']

/** The fields that an update of the agent sends. A row that has no GitHub token keeps that of the agent: exports have none, and an
 * update without it would clear it. */
export function toUpdate(fields: Fields, found: FoundAgent, importedAt: unknown): Fields {
  const { white_box_config: config } = fields
  const mask = found.github_token_mask
  const keepsToken = config && mask !== null && !Object.hasOwn(config, 'github_token')
  return withImportTime(
    keepsToken ? { ...fields, white_box_config: { ...config, github_token: mask } } : fields,
    importedAt,
  )
}

/** The fields of a row, with the members of the agent that the row does not set. */
export function keepOtherMembers(agent: Agent, fields: Fields, members: readonly MemberPath[]): Fields {
  const own = Object.fromEntries(members.map(([field = '']) => [field, agent[field as keyof Agent]]))
  return members.reduce<Fields>((values, path) => withMember(values, path, fields), { ...fields, ...own })
}

/** `values` with the member of `given` at this path. */
function withMember(values: unknown, [name, ...rest]: MemberPath, given: unknown): object {
  if (name === undefined) return given as object
  const own = isObject(values) ? values : {}
  return { ...own, [name]: withMember(own[name], rest, (given as Record<string, unknown>)[name]) }
}

/** With the time of the import in `import_metadata`, if there is one. */
export function withImportTime(fields: Fields, importedAt: unknown): Fields {
  if (!fields.import_metadata || typeof importedAt !== 'number') return fields
  return { ...fields, import_metadata: { ...fields.import_metadata, imported_at: importedAt } }
}

export function credentialWarnings(pointers: readonly string[] = []): string[] {
  return pointers.map(
    (pointer) =>
      `The value at ${pointer} looks like a credential. The console stores it in clear text: use a named secret instead.`,
  )
}

export function creationWarnings({ credentialWarnings: pointers, missingSecrets }: Creation): string[] {
  const names = missingSecrets.join(', ')
  return [
    ...credentialWarnings(pointers),
    ...(missingSecrets.length === 0
      ? []
      : [
          `The agent refers to named secrets that it does not have yet: ${names}. Store them for the new agent.`,
        ]),
  ]
}
