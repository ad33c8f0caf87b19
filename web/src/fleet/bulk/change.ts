import type { AgentBulk, AgentBulkResult, TrustStage } from '@agent-console/sdk'
import { api, rowsOf } from '../../api/client.ts'
import { PROTECTION, STAGES, STATUS, words } from '../../shared/words.ts'
import type { FleetRow, useList } from '../list.ts'

export type BulkKind = 'stage' | 'status' | 'protection' | 'archive'
export type BulkOutcome = AgentBulkResult['results'][number]

interface Kind {
  title: string
  /** Completes "Move 3 agents to Trusted". */
  verb: string
  /** "3 agents moved" */
  done: string
  values: Record<string, string>
  of: (row: FleetRow) => string
}

const { archived: _, ...OTHER_STATUS } = STATUS

export const KINDS: Record<BulkKind, Kind> = {
  stage: {
    title: 'Move to another trust stage',
    verb: 'Move',
    done: 'moved',
    values: STAGES,
    of: ({ stage }) => stage,
  },
  status: {
    title: 'Set the status',
    verb: 'Set',
    done: 'changed',
    values: OTHER_STATUS,
    of: ({ status }) => status,
  },
  protection: {
    title: 'Set the protection',
    verb: 'Set',
    done: 'changed',
    values: PROTECTION,
    of: ({ protection }) => protection,
  },
  archive: {
    title: 'Archive',
    verb: 'Archive',
    done: 'archived',
    values: { archived: STATUS['archived'] ?? 'Archived' },
    of: ({ status }) => status,
  },
}

function changeOf(kind: BulkKind, value: string): Pick<AgentBulk, 'update' | 'lifecycle'> {
  if (kind === 'stage') return { lifecycle: { trust_stage: value as TrustStage } }
  const field = kind === 'protection' ? 'protection_status' : 'status'
  return { update: { [field]: value } }
}

/** The most important first: refused, then what affects other agents, then the rest. */
export function inOrder(outcomes: readonly BulkOutcome[]): BulkOutcome[] {
  return outcomes.toSorted((a, b) => rank(a) - rank(b))
}

function rank({ outcome, impact }: BulkOutcome): number {
  if (outcome === 'failed') return 0
  if ((impact?.dependents ?? 0) > 0) return 1
  return outcome === 'unchanged' ? 3 : 2
}

interface OutcomeCounts {
  willChange: number
  changed: number
  unchanged: number
  failed: number
}

export function countOutcomes(outcomes: readonly BulkOutcome[]): OutcomeCounts {
  const count = (wanted: BulkOutcome['outcome']): number =>
    outcomes.filter(({ outcome }) => outcome === wanted).length
  return {
    willChange: count('would_change'),
    changed: count('changed'),
    unchanged: count('unchanged'),
    failed: count('failed'),
  }
}

/** What happened to the agent, as a sentence. */
export function outcomeText(outcome: BulkOutcome, to: string): string {
  switch (outcome.outcome) {
    case 'failed':
      return outcome.error?.detail ?? 'The console gave no reason.'
    case 'unchanged':
      return `Is ${words({ ...STATUS, ...STAGES, ...PROTECTION }, to)} already`
    case 'changed':
      return `Revision ${outcome.revision}`
    default:
      return dependentsText(outcome)
  }
}

function dependentsText({ impact, revision }: BulkOutcome): string {
  const next = revision === null ? '' : `Becomes revision ${revision + 1}`
  if (impact === null || impact.dependents === 0) return next
  const many = `${impact.dependents}${impact.has_more ? '+' : ''}`
  const stage = impact.strongest_trust_stage
  const strongest = stage === null ? '' : `, the strongest is ${words(STAGES, stage)}`
  return `${many} ${impact.dependents === 1 ? 'agent hands' : 'agents hand'} work to it${strongest}`
}

/** The API changes at most so many agents with one request. */
const MOST = 500

interface BulkAgent {
  id: string
  /** An agent at another revision is refused. */
  revision?: number
}

function chunksOf<Item>(items: readonly Item[], size = MOST): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

interface BulkRequest {
  kind: BulkKind
  value: string
  agents: readonly BulkAgent[]
  reason?: string
  /** Shows what would change. */
  dryRun?: boolean
  /** Begins the keys of the requests: with the same one a repetition changes nothing twice. */
  key?: string
  signal?: AbortSignal
  onProgress?: (done: number) => void
}

/** One request after the other: a team may have one in progress. */
export async function runBulk(request: BulkRequest): Promise<BulkOutcome[]> {
  const { kind, value, agents, reason, dryRun = false, key, signal, onProgress } = request
  const outcomes: BulkOutcome[] = []
  for (const [index, chunk] of chunksOf(agents).entries()) {
    const body = { agents: chunk, ...changeOf(kind, value) }
    const { results } = await api().agents.bulk(body, {
      timeoutMs: 60_000,
      dryRun,
      ...(signal === undefined ? {} : { signal }),
      ...(reason === undefined || reason === '' ? {} : { reason }),
      ...(key === undefined ? {} : { idempotencyKey: `${key}-${index}` }),
    })
    outcomes.push(...results)
    onProgress?.(outcomes.length)
  }
  return outcomes
}

type FetchNextPage = ReturnType<typeof useList>['query']['fetchNextPage']

interface LoadRowsOptions {
  fetchNextPage: FetchNextPage
  /** The filters have not changed: pages belong to the list that the user sees. */
  isSameList: () => boolean
}

/** Loads pages until there are so many rows, or no more. undefined: the list has become another one. */
export async function loadRows(
  rows: readonly FleetRow[],
  wanted: number,
  { fetchNextPage, isSameList }: LoadRowsOptions,
): Promise<readonly FleetRow[] | undefined> {
  let loaded = rows
  while (loaded.length < wanted) {
    const { data, isError, hasNextPage } = await fetchNextPage({ cancelRefetch: false })
    if (!isSameList()) return undefined
    if (data !== undefined) loaded = rowsOf(data)
    if (isError || !hasNextPage) break
  }
  return loaded.slice(0, wanted)
}
