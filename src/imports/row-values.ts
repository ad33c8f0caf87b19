import type { ImportedAgent } from '../agents/external-keys.ts'
import type { Agent } from '../contract/agent.ts'
import { isObject, type MemberPath, type RowFields } from './rows.ts'

/** The fields that an update of the agent sends. A row that has no GitHub token keeps that of the agent: exports
 * have none, and an update without it would clear it. */
export function toUpdate(fields: RowFields, found: ImportedAgent, importedAt: unknown): RowFields {
  const { white_box_config: config } = fields
  const mask = found.github_token_mask
  const keepsToken = config && mask !== null && !Object.hasOwn(config, 'github_token')
  return withImportTime(
    keepsToken ? { ...fields, white_box_config: { ...config, github_token: mask } } : fields,
    importedAt,
  )
}

/** With the time of the import in `import_metadata`, if there is one. */
export function withImportTime(fields: RowFields, importedAt: unknown): RowFields {
  if (!fields.import_metadata || typeof importedAt !== 'number') return fields
  return { ...fields, import_metadata: { ...fields.import_metadata, imported_at: importedAt } }
}

/** The fields of a row, with the members of the agent that the row does not set. */
export function keepOtherMembers(agent: Agent, fields: RowFields, members: readonly MemberPath[]): RowFields {
  const own = Object.fromEntries(members.map(([field = '']) => [field, agent[field as keyof Agent]]))
  return members.reduce<RowFields>((values, path) => withMember(values, path, fields), { ...fields, ...own })
}

/** `values` with the member of `given` at this path. */
function withMember(values: unknown, [name, ...rest]: MemberPath, given: unknown): object {
  if (name === undefined) return given as object
  const own = isObject(values) ? values : {}
  return { ...own, [name]: withMember(own[name], rest, (given as Record<string, unknown>)[name]) }
}

/** The members of objects that a card decides. */
const CARD_MEMBERS = {
  agent_metadata: ['description', 'version', 'author', 'author_url', 'documentation_url', 'icon_url'],
  capabilities: ['streaming', 'push_notifications'],
}

type Values = Record<string, unknown>
type CardObjects = Pick<Agent, keyof typeof CARD_MEMBERS>

/** The objects of a card, with the members of the agent that a card does not decide, such as tags. */
export function keepOwnMembers(
  agent: CardObjects,
  card: { [name in keyof CardObjects]?: object | null },
): { agent_metadata: Values; capabilities: Values } {
  const replace = (field: keyof CardObjects) => {
    const own = Object.entries(agent[field] ?? {}).filter(([name]) => !CARD_MEMBERS[field].includes(name))
    return { ...Object.fromEntries(own), ...card[field] }
  }
  return { agent_metadata: replace('agent_metadata'), capabilities: replace('capabilities') }
}
