import { type CatalogEntry, MAX_CATALOG_ENTRIES } from '../../contract/a2a-card.ts'
import { Problem } from '../../contract/problem.ts'
import type { ValidationError } from '../../contract/validation-error.ts'
import { inOrder } from '../../platform/in-order.ts'
import type { ImportRow } from '../row.ts'
import { valueError } from '../validation.ts'
import { entryKey, MAX_NESTING, readCatalog, readEntry, TOO_DEEP, TOO_MANY } from './catalog.ts'
import { CardFetchError, type FetchDeps, type FetchRequest, fetchCard, fetchDocument } from './fetch.ts'
import { failedRow, type RowContext, readRow } from './read-row.ts'

export interface CatalogLimits {
  /** For everything that is fetched. The rows need time after it. */
  maxMs: number
  maxBytes: number
}

const LIMITS: CatalogLimits = { maxMs: 15_000, maxBytes: 16 * 1024 * 1024 }
const MAX_CATALOG_BYTES = 2 * 1024 * 1024

/** Cards that are fetched at the same time. */
const AT_ONCE = 8

const TIME_IS_UP = valueError([], 'the time for this catalog was used up before this card was fetched')
const SIZE_IS_UP = valueError([], 'the cards of this catalog are too large together')

const NO_PLACE = valueError([], 'the team has too many fetches in flight; repeat the import')

/** An entry that becomes a row. */
type Leaf = { key: string; url: string } | { key: string; data: Record<string, unknown> } | { row: ImportRow }

/** Reads the cards of an AI Catalog and of the catalogs in it. Only a catalog that cannot be read itself throws. */
export function createCatalogReader(
  deps: FetchDeps,
  context: RowContext,
  { teamId, signal }: Pick<FetchRequest, 'teamId' | 'signal'>,
  limits = LIMITS,
) {
  const { documents } = context
  const timeout = AbortSignal.timeout(limits.maxMs)
  const request = { teamId, signal: AbortSignal.any([signal, timeout]) }
  let usedBytes = 0
  let seenEntries = 0
  const countedDeps: FetchDeps = {
    documents,
    get: async (...parameters) => {
      const response = await deps.get(...parameters)
      usedBytes += response.body.length
      return response
    },
  }

  /** The result, or the faults because of which there is none. */
  const attempt = async <Result>(
    work: () => Promise<Result>,
  ): Promise<{ result: Result } | { faults: ValidationError[] }> => {
    signal.throwIfAborted()
    if (timeout.aborted) return { faults: [TIME_IS_UP] }
    if (usedBytes > limits.maxBytes) return { faults: [SIZE_IS_UP] }
    try {
      return { result: await work() }
    } catch (error) {
      signal.throwIfAborted()
      if (timeout.aborted) return { faults: [TIME_IS_UP] }
      if (error instanceof CardFetchError) return { faults: error.faults }
      if (error instanceof Problem && error.status === 429) return { faults: [NO_PLACE] }
      throw error
    }
  }

  const collect = async (value: unknown, depth: number): Promise<Leaf[]> => {
    const catalog = readCatalog(documents, value)
    if ('faults' in catalog) throw new CardFetchError(catalog.faults)
    seenEntries += catalog.entries.length
    if (seenEntries > MAX_CATALOG_ENTRIES) throw new CardFetchError([TOO_MANY])
    const leaves: Leaf[] = []
    // One after the other, so that the limit of entries holds.
    for (const entry of catalog.entries) leaves.push(...(await readLeaves(entry, depth)))
    return leaves
  }

  const readLeaves = async (entry: CatalogEntry, depth: number): Promise<Leaf[]> => {
    const content = readEntry(entry)
    if (content.kind === 'other') return []
    const key = entryKey(entry.identifier)
    if ('faults' in key) return [{ row: failedRow(null, key.faults) }]
    const failed = (faults: ValidationError[]): Leaf[] => [{ row: failedRow(key.key, faults) }]
    if (content.kind === 'invalid') return failed(content.faults)
    if (content.kind === 'card') return [{ ...key, ...content }]
    if (depth === MAX_NESTING) return failed([TOO_DEEP])
    const nested = await attempt(async () => {
      const data = 'url' in content ? (await fetchCatalog(content.url)).value : content.data
      return collect(data, depth + 1)
    })
    return 'faults' in nested ? failed(nested.faults) : nested.result
  }

  const fetchCatalog = (url: string) => fetchDocument(countedDeps, url, request, MAX_CATALOG_BYTES)

  const toRow = async (leaf: Leaf): Promise<ImportRow> => {
    if ('row' in leaf) return leaf.row
    if ('data' in leaf) return readRow(context, leaf.data, undefined, leaf.key)
    const fetched = await attempt(() => fetchCard(countedDeps, leaf.url, request))
    if ('faults' in fetched) return failedRow(leaf.key, fetched.faults)
    return readRow(context, fetched.result.value, fetched.result, leaf.key)
  }

  const read = async (value: unknown): Promise<ImportRow[]> =>
    inOrder(await collect(value, 1), AT_ONCE, toRow)

  return {
    read,
    fetch: async (url: string): Promise<ImportRow[]> => read((await fetchCatalog(url)).value),
  }
}
