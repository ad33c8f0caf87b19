import { api } from '../../api/client.ts'
import { type BulkKind, type BulkOutcome, changeOf } from './change.ts'

/** The API changes at most so many agents with one request. */
const MOST = 500

export interface BulkAgent {
  id: string
  /** An agent at another revision is refused. */
  revision?: number
}

function chunksOf<Item>(items: readonly Item[], size = MOST): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

export interface BulkRequest {
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
