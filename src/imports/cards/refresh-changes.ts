import { isDeepStrictEqual } from 'node:util'
import type { Agent } from '../../contract/agent.ts'
import type { CardRefresh } from '../../contract/agent-card.ts'
import type { CardMetadata } from '../../contract/card-metadata.ts'
import { isTestableBinding } from './card.ts'
import { keepOwnMembers } from './card-members.ts'
import type { CardFields } from './to-agent.ts'

type Values = Record<string, unknown>

/** The fields that a refresh sets. */
export interface RefreshedFields {
  agent_name?: string
  agent_url?: string
  purpose?: string
  agent_metadata?: Values
  capabilities?: Values
  skills?: Values[]
  import_metadata: CardMetadata
}

export interface RefreshPlan {
  fields: RefreshedFields
  changes: CardRefresh['changes']
  movesTo: string | null
  warnings: string[]
}

/** They change with every fetch. */
const BOOKKEEPING = ['imported_at', 'etag', 'digest']

/** What a new version of its card changes in an agent. */
export function planRefresh(
  agent: Agent,
  stored: CardMetadata,
  card: CardFields,
  mayMove: boolean,
): RefreshPlan {
  const { override_name: name } = stored
  return withInterface(agent, stored, mayMove, {
    agent_name: name ?? card.agent_name,
    purpose: card.purpose ?? '',
    ...keepOwnMembers(agent, card),
    skills: card.skills ?? [],
    import_metadata: { ...card.import_metadata, ...(name !== undefined && { override_name: name }) },
  })
}

/** For a card that has not changed: fields that were changed after the import stay. */
export function planUnchanged(
  agent: Agent,
  stored: CardMetadata,
  signature: CardMetadata['signature'],
  mayMove: boolean,
): RefreshPlan {
  return withInterface(agent, stored, mayMove, { import_metadata: { ...stored, signature } })
}

/** The interface stays the one that the import chose, unless the caller lets it move: a card must not redirect a stored key. */
function withInterface(
  agent: Agent,
  { pinned_interface: pinned }: CardMetadata,
  mayMove: boolean,
  fields: RefreshedFields,
): RefreshPlan {
  const { interfaces } = fields.import_metadata
  const same = interfaces.find(
    ({ url, protocol_binding: binding }) => url === pinned?.url && binding === pinned.protocol_binding,
  )
  const next = same ? undefined : interfaces.find(isTestableBinding)
  const moves = next !== undefined && mayMove
  const planned: RefreshedFields = {
    ...fields,
    ...(moves && { agent_url: next.url }),
    import_metadata: { ...fields.import_metadata, pinned_interface: (moves ? next : same) ?? pinned },
  }
  const isOwnUrl = (agent.agent_url ?? null) === (pinned?.url ?? null)
  return {
    fields: planned,
    changes: findChanges(agent, planned),
    movesTo: next?.url ?? null,
    warnings: [
      ...(next === undefined || moves
        ? []
        : ['The card no longer has the interface that agent_url was taken from. agent_url stays.']),
      ...(isOwnUrl
        ? []
        : ['agent_url was changed after the import. It stays, unless move_interface moves it.']),
    ],
  }
}

function findChanges(agent: Agent, fields: RefreshedFields): CardRefresh['changes'] {
  return Object.entries(fields).flatMap(([field, value]) => {
    const old: unknown = agent[field as keyof Agent] ?? null
    if (field === 'skills' || typeof value !== 'object') {
      return isDeepStrictEqual(old, value) ? [] : [{ field, old, new: value }]
    }
    const [before, after] = [(old ?? {}) as Values, value as Values]
    const names = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...names]
      .filter((name) => !BOOKKEEPING.includes(name) && !isDeepStrictEqual(before[name], after[name]))
      .map((name) => ({
        ...{ field: `${field}.${name}`, old: before[name] ?? null, new: after[name] ?? null },
      }))
  })
}
