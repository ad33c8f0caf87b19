import { RequestValidationError, type ValidationError } from '../../contract/validation-error.ts'
import type { ImportRow, ReadRows } from '../row.ts'
import type { CardTrust } from '../signatures/service.ts'
import { createCatalogReader } from './catalog-reader.ts'
import { CardFetchError, type FetchDeps, type FetchRequest, fetchCard } from './fetch.ts'
import { failedRow, type RowContext, readRow } from './read-row.ts'

export interface ReadCardsDeps extends FetchDeps {
  /** The keys and the policy of a team. */
  readTrust: (teamId: string, signal: AbortSignal) => Promise<CardTrust>
  /** Milliseconds since the epoch. */
  now: () => number
}

/** Reads the rows of an import from an agent card or from an AI Catalog. */
export function createReadCards(deps: ReadCardsDeps): ReadRows {
  return async (request, { teamId, signal }) => {
    const context: RowContext = {
      documents: deps.documents,
      trust: await deps.readTrust(teamId, signal),
      now: Math.floor(deps.now() / 1_000),
      options: request,
    }
    const { card, card_url: cardUrl, catalog, catalog_url: catalogUrl, external_key: key } = request
    if (card) return [await readRow(context, card, undefined, key)]
    if (cardUrl !== undefined) return [await fetchRow(deps, context, cardUrl, key, { teamId, signal })]
    const reader = createCatalogReader(deps, context, { teamId, signal })
    if (catalog) return reader.read(catalog).catch(inBody('catalog'))
    if (catalogUrl !== undefined) return reader.fetch(catalogUrl).catch(inBody('catalog_url'))
    return []
  }
}

/** A card that cannot be fetched is a fault of its row. */
async function fetchRow(
  deps: FetchDeps,
  context: RowContext,
  url: string,
  key: string | undefined,
  request: FetchRequest,
): Promise<ImportRow> {
  try {
    const fetched = await fetchCard(deps, url, request)
    return await readRow(context, fetched.value, fetched, key)
  } catch (error) {
    if (!(error instanceof CardFetchError)) throw error
    return failedRow(key ?? null, error.faults)
  }
}

/** The catalog itself cannot be read: the request fails as a whole. */
const inBody =
  (member: string) =>
  (error: unknown): never => {
    if (!(error instanceof CardFetchError)) throw error
    throw new RequestValidationError(
      error.faults.map((each): ValidationError => ({ ...each, loc: ['body', member, ...each.loc] })),
    )
  }
