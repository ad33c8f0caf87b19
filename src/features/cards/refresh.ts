import { isDeepStrictEqual } from 'node:util'
import { readAgent, updateAgent } from '../../agent/agents.ts'
import type { Agent } from '../../agent/schema.ts'
import type { Caller } from '../../api/caller.ts'
import { Problem, type ValidationError } from '../../api/problem.ts'
import type { Core } from '../../core.ts'
import { documents } from '../../http/validation/body.ts'
import { isObject } from '../../platform/json.ts'
import { type CardFields, keepOwnMembers, readCardFields } from './card-fields.ts'
import { CardFetchError, refetchCard } from './fetch.ts'
import { isTestableBinding, present } from './read-card.ts'
import { CardMetadata, type CardRefresh, type CardRefreshQuery } from './schema.ts'

interface RefreshRequest {
  query: CardRefreshQuery
  expectedRevisions: number[] | null
  /** Aborted when the client disconnects. */
  signal: AbortSignal
}

/** Refreshes an agent from its card. */
export async function refreshFromCard(
  core: Core,
  caller: Caller,
  id: string,
  { query, expectedRevisions, signal }: RefreshRequest,
): Promise<CardRefresh> {
  const { dry_run: isDryRun = false, move_interface: mayMove = false } = query
  const { revision, text } = await readAgent(core, caller, id)
  if (expectedRevisions && !expectedRevisions.includes(revision)) throw new Problem('revision_stale')
  const agent = JSON.parse(text) as Agent
  const stored = readMetadata(agent)
  if (stored?.source_url === undefined) throw new Problem('no_card_url')
  const current = await fetchCurrent(core, stored, stored.source_url, caller.teamId, signal)
  const isChanged = current && current.fields.import_metadata.digest !== stored.digest
  // A card that has not changed does not replace fields that were changed after the import.
  const fields = isChanged ? refreshedFields(agent, stored, current.fields) : { import_metadata: stored }
  const plan = chooseInterface(agent, stored, fields, mayMove)
  const changes = findChanges(agent, plan.fields)
  const result = {
    dry_run: isDryRun,
    changes,
    moves_to: plan.movesTo,
    warnings: [...(current?.warnings ?? []), ...plan.warnings],
  }
  if (changes.length === 0) return { ...result, revision }
  const importedAt = Math.floor(core.now() / 1_000)
  const changed = await updateAgent(
    core,
    caller,
    id,
    { ...plan.fields, import_metadata: { ...plan.fields.import_metadata, imported_at: importedAt } },
    { expectedRevisions: [revision], mayChangeOrigin: true, isDryRun },
  )
  return { ...result, revision: changed.revision }
}

/** Undefined if the agent was not made from a card. */
export function readMetadata(agent: Agent): CardMetadata | undefined {
  const { import_metadata: metadata } = agent
  return documents.check(CardMetadata, metadata).length === 0 ? (metadata as CardMetadata) : undefined
}

/** Undefined if the server says that the card has not changed. */
async function fetchCurrent(
  core: Core,
  { etag }: CardMetadata,
  url: string,
  teamId: string,
  signal: AbortSignal,
): Promise<{ fields: CardFields; warnings: string[] } | undefined> {
  const fetched = await refetchCard(core, url, etag, { teamId, signal }).catch(toProblem)
  if (!fetched) return undefined
  const reading = readCardFields(fetched.value, fetched)
  if (!reading.fields) throw unreadable(reading.faults)
  return reading
}

type Values = Record<string, unknown>

/** The fields that a refresh sets. */
interface RefreshedFields {
  agent_name?: string
  agent_url?: string
  purpose?: string
  agent_metadata?: Values
  capabilities?: Values
  skills?: Values[]
  import_metadata: CardMetadata
}

function refreshedFields(agent: Agent, { override_name }: CardMetadata, card: CardFields): RefreshedFields {
  return {
    agent_name: override_name ?? card.agent_name,
    purpose: card.purpose ?? '',
    ...keepOwnMembers(agent, card),
    skills: card.skills ?? [],
    import_metadata: present({ ...card.import_metadata, override_name }),
  }
}

/** The interface stays the one that the import chose, unless the caller lets it move: a card must not redirect a
 * stored key. */
function chooseInterface(
  agent: Agent,
  { pinned_interface: pinned }: CardMetadata,
  fields: RefreshedFields,
  mayMove: boolean,
): { fields: RefreshedFields; movesTo: string | null; warnings: string[] } {
  const { interfaces } = fields.import_metadata
  const same = interfaces.find(
    ({ url, protocol_binding: binding }) => url === pinned?.url && binding === pinned.protocol_binding,
  )
  const next = same ? undefined : interfaces.find((each) => isTestableBinding(each.protocol_binding))
  const moved = mayMove ? next : undefined
  const warnings: string[] = []
  if (next && !moved) {
    warnings.push('The card no longer has the interface that agent_url was taken from. agent_url stays.')
  }
  if ((agent.agent_url ?? null) !== (pinned?.url ?? null)) {
    warnings.push('agent_url was changed after the import. It stays, unless move_interface moves it.')
  }
  return {
    fields: {
      ...fields,
      ...(moved && { agent_url: moved.url }),
      import_metadata: { ...fields.import_metadata, pinned_interface: moved ?? same ?? pinned },
    },
    movesTo: next?.url ?? null,
    warnings,
  }
}

/** They change with every fetch. */
const BOOKKEEPING = ['imported_at', 'etag', 'digest']

function findChanges(agent: Agent, fields: RefreshedFields): CardRefresh['changes'] {
  const changes: CardRefresh['changes'] = []
  const compare = (field: string, old: unknown = null, value: unknown = null) => {
    if (!isDeepStrictEqual(old, value)) changes.push({ field, old, new: value })
  }
  for (const [field, value] of Object.entries(fields)) {
    const old: unknown = agent[field as keyof Agent]
    if (!isObject(value)) compare(field, old, value)
    else {
      const before = (old ?? {}) as Values
      const names = new Set([...Object.keys(before), ...Object.keys(value)])
      for (const name of names.difference(new Set(BOOKKEEPING))) {
        compare(`${field}.${name}`, before[name], value[name])
      }
    }
  }
  return changes
}

function toProblem(error: unknown): never {
  if (!(error instanceof CardFetchError)) throw error
  const isDocument = error.cause === undefined
  throw isDocument ? unreadable(error.faults) : new Problem('card_unreachable', { cause: error })
}

function unreadable([first]: readonly ValidationError[]): Problem {
  const place = first && first.loc.length > 0 ? ` (${first.loc.join('.')})` : ''
  const detail =
    first &&
    `The document at the URL of the agent card is no valid agent card: ${first.msg}${place}. Nothing was changed.`
  return new Problem('card_unreadable', detail === undefined ? {} : { detail })
}
