import { AiCatalog, type CatalogEntry, MAX_CATALOG_ENTRIES } from '../../contract/a2a-card.ts'
import { MAX_EXTERNAL_KEY_LENGTH } from '../../contract/imports.ts'
import { parseUuid } from '../../contract/uuid.ts'
import type { ValidationError } from '../../contract/validation-error.ts'
import { valueError } from '../validation.ts'
import type { Documents } from './documents.ts'

const CARD_TYPE = 'application/a2a-agent-card+json'
const CATALOG_TYPE = 'application/ai-catalog+json'

/** A catalog in a catalog in a catalog. */
export const MAX_NESTING = 3

/** What an entry of a catalog says. */
export type EntryContent =
  | { kind: 'card' | 'catalog'; url: string }
  | { kind: 'card' | 'catalog'; data: Record<string, unknown> }
  /** An artifact that is no agent, such as an MCP server. */
  | { kind: 'other' }
  | { kind: 'invalid'; faults: ValidationError[] }

export function readCatalog(
  documents: Documents,
  value: unknown,
): { entries: CatalogEntry[] } | { faults: ValidationError[] } {
  const faults = documents.check(AiCatalog, value)
  return faults.length > 0 ? { faults } : { entries: (value as AiCatalog).entries }
}

export function readEntry({ mediaType, type, url, data }: CatalogEntry): EntryContent {
  const kind = kindOf(mediaType ?? type)
  if (kind === 'other') return { kind }
  if ((url == null) === (data == null)) {
    return { kind: 'invalid', faults: [valueError([], 'an entry has exactly one of url and data')] }
  }
  return url == null ? { kind, data: data as Record<string, unknown> } : { kind, url }
}

/** The key of an agent: the identifier of its entry. An identifier that is the id of an agent would let the author of the catalog
 * choose which agent of the team the import changes. */
export function entryKey(identifier: string): { key: string } | { faults: ValidationError[] } {
  if (parseUuid(identifier).ok) {
    return { faults: [valueError(['identifier'], 'an identifier of a catalog must not be a UUID')] }
  }
  if (identifier.length > MAX_EXTERNAL_KEY_LENGTH) {
    const reason = `an identifier may have at most ${MAX_EXTERNAL_KEY_LENGTH} characters`
    return { faults: [valueError(['identifier'], reason)] }
  }
  return { key: identifier }
}

/** Parameters, such as `; charset=utf-8`, and the case do not matter. */
function kindOf(mediaType: string | null | undefined): 'card' | 'catalog' | 'other' {
  const [name = ''] = (mediaType ?? '').toLowerCase().split(';')
  if (name.trim() === CARD_TYPE) return 'card'
  return name.trim() === CATALOG_TYPE ? 'catalog' : 'other'
}

export const TOO_MANY = valueError(
  [],
  `a catalog may have at most ${MAX_CATALOG_ENTRIES} entries, with those of its catalogs`,
)
export const TOO_DEEP = valueError([], `catalogs may be nested ${MAX_NESTING} deep`)
