import type { Agent } from '../../contract/agent.ts'

/** The members of objects that a card decides. */
const CARD_MEMBERS = {
  agent_metadata: ['description', 'version', 'author', 'author_url', 'documentation_url', 'icon_url'],
  capabilities: ['streaming', 'push_notifications'],
}

type Values = Record<string, unknown>
type Members = Pick<Agent, keyof typeof CARD_MEMBERS>

/** The objects of a card, with the members of the agent that a card does not decide, such as tags. */
export function keepOwnMembers(
  agent: Members,
  card: { [name in keyof Members]?: object | null },
): { agent_metadata: Values; capabilities: Values } {
  const replace = (field: keyof Members) => {
    const own = Object.entries(agent[field] ?? {}).filter(([name]) => !CARD_MEMBERS[field].includes(name))
    return { ...Object.fromEntries(own), ...card[field] }
  }
  return { agent_metadata: replace('agent_metadata'), capabilities: replace('capabilities') }
}
