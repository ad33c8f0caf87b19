import type { Agent } from '../../contract/agent.ts'
import type { CardRefresh, CardRefreshQuery } from '../../contract/agent-card.ts'
import { CardMetadata } from '../../contract/card-metadata.ts'
import type { CardSignature } from '../../contract/card-signature.ts'
import { Problem } from '../../contract/problem.ts'
import type { ValidationError } from '../../contract/validation-error.ts'
import type { Lanes } from '../../platform/fairness/lanes.ts'
import { atPlace } from '../../platform/fairness/place.ts'
import type { Caller } from '../../platform/identity/identity.ts'
import { applyPolicy } from '../signatures/policy.ts'
import type { CardTrust } from '../signatures/service.ts'
import type { Documents } from './documents.ts'
import { CardFetchError, type FetchDeps, type Fetched, refetchCard } from './fetch.ts'
import { judgeCard } from './read-row.ts'
import { planRefresh, planUnchanged, type RefreshedFields } from './refresh-changes.ts'
import { type CardFields, toCardFields } from './to-agent.ts'

type Update = (
  caller: Caller,
  id: string,
  fields: RefreshedFields,
  conditions: { expectedRevisions: number[]; mayChangeOrigin: true },
) => Promise<{ revision: number }>

/** What the operations on cards need of agents. */
export interface CardAgents {
  read: (caller: Caller, id: string) => Promise<{ revision: number; text: string }>
  /** Changes the agent if it is at this revision. */
  update: Update
  /** Finds out whether an update would be accepted. */
  planUpdate: Update
}

export interface RefreshDeps extends FetchDeps {
  agents: CardAgents
  readTrust: (teamId: string, signal: AbortSignal) => Promise<CardTrust>
  lanes: Lanes
  /** Milliseconds since the epoch. */
  now: () => number
}

interface RefreshRequest {
  query: CardRefreshQuery
  expectedRevisions: number[] | null
  /** Aborted when the client disconnects. */
  signal: AbortSignal
}

/** What the card says now. Without `fields` it has not changed. */
interface CurrentCard {
  digest: string
  signature: CardSignature
  warnings: string[]
  fields?: CardFields
}

export type CardRefresher = ReturnType<typeof createCardRefresh>

/** Refreshes an agent from its card. The request holds no place at the database while the card is fetched. */
export function createCardRefresh(deps: RefreshDeps) {
  const { documents, lanes } = deps

  const readStored = async (caller: Caller, id: string, { expectedRevisions, signal }: RefreshRequest) => {
    const { revision, text } = await atPlace(lanes.reads, { team: caller.teamId, signal }, () =>
      deps.agents.read(caller, id),
    )
    if (expectedRevisions && !expectedRevisions.includes(revision)) throw new Problem('revision_stale')
    const agent = JSON.parse(text) as Agent
    const metadata = readMetadata(documents, agent)
    if (metadata?.source_url === undefined) throw new Problem('no_card_url')
    return { revision, agent, metadata, url: metadata.source_url }
  }

  const readCurrent = async (
    teamId: string,
    { metadata, url }: { metadata: CardMetadata; url: string },
    signal: AbortSignal,
  ): Promise<CurrentCard> => {
    const trust = await deps.readTrust(teamId, signal)
    // Clients can write the metadata of an agent that they create: a signature counts only if it was verified now.
    const isUnsigned = metadata.signature.state === 'absent'
    const etag = isUnsigned ? metadata.etag : undefined
    const fetched = await refetchCard(deps, url, etag, { teamId, signal }).catch(toProblem)
    if (!fetched) {
      refuse(trust, metadata.signature)
      return { digest: metadata.digest ?? '', signature: metadata.signature, warnings: [] }
    }
    const judged = await judgeCard(documents, trust, fetched.value, fetched)
    if (!judged.card) {
      if (judged.signature) refuse(trust, judged.signature)
      throw unreadable(judged.faults)
    }
    const { card, version, signature, warnings } = judged
    return {
      ...{ digest: fetched.digest, signature, warnings },
      fields: toCardFields(card, version, sourceOf(fetched), signature),
    }
  }

  return async (caller: Caller, id: string, request: RefreshRequest): Promise<CardRefresh> => {
    const {
      dry_run: isDryRun = true,
      expected_digest: expected,
      move_interface: mayMove = false,
    } = request.query
    const stored = await readStored(caller, id, request)
    const current = await readCurrent(caller.teamId, stored, request.signal)
    const { digest, signature, warnings, fields } = current
    if (expected !== undefined && expected !== digest) throw new Problem('card_changed')
    const { agent, metadata, revision } = stored
    const plan =
      fields && digest !== metadata.digest
        ? planRefresh(agent, metadata, fields, mayMove)
        : planUnchanged(agent, metadata, signature, mayMove)
    const result = {
      ...{ dry_run: isDryRun, digest, signature, changes: plan.changes },
      moves_to: plan.movesTo,
      warnings: [...warnings, ...plan.warnings],
    }
    if (plan.changes.length === 0) return { ...result, revision }
    const own = {
      ...plan.fields,
      import_metadata: { ...plan.fields.import_metadata, imported_at: seconds(deps) },
    }
    const lane = isDryRun ? lanes.reads : lanes.writes
    const change = isDryRun ? 'planUpdate' : 'update'
    const place = { team: caller.teamId, signal: request.signal, ...(!isDryRun && { key: id }) }
    const changed = await atPlace(lane, place, () =>
      deps.agents[change](caller, id, own, { expectedRevisions: [revision], mayChangeOrigin: true }),
    )
    return { ...result, revision: changed.revision }
  }
}

const seconds = ({ now }: RefreshDeps) => Math.floor(now() / 1_000)

/** Undefined if the agent was not made from a card. */
export function readMetadata(documents: Documents, agent: Agent): CardMetadata | undefined {
  const { import_metadata: metadata } = agent
  return documents.check(CardMetadata, metadata).length === 0 ? (metadata as CardMetadata) : undefined
}

function sourceOf({ url, digest, etag }: Fetched) {
  return { url, digest, ...(etag !== undefined && { etag }) }
}

function refuse({ policy }: CardTrust, signature: CardSignature): void {
  const { refusal } = applyPolicy(policy, signature)
  if (refusal !== undefined) throw new Problem('card_refused', { detail: `${refusal} Nothing was changed.` })
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
