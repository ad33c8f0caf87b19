import type { Creation, FoundAgent } from './agents.ts'
import type { CheckedRow } from './valid-rows.ts'

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
