import { type ValidationError, valueError } from '../../api/problem.ts'
import { parseUuid } from '../../api/uuid.ts'
import { type CardImport, MAX_EXTERNAL_KEY_LENGTH, type ReadCard, type ReadRow } from '../batch/feature.ts'
import { cardWarnings, preferredInterface, toCardFields } from './card-fields.ts'
import { CardFetchError, type FetchDeps, type Fetched, fetchCard } from './fetch.ts'
import { present, readCard } from './read-card.ts'

export interface ImportCardDeps extends FetchDeps {
  /** Milliseconds since the epoch. */
  now: () => number
}

/** Reads the row of an import from an agent card. A card that cannot be fetched is a fault of its row. */
export function createReadCard(deps: ImportCardDeps): ReadCard {
  return async (request, context) => {
    const { card, card_url: url = '', external_key: key = null } = request
    if (card) return toRow(deps, request, card, undefined)
    try {
      const fetched = await fetchCard(deps, url, context)
      return toRow(deps, request, fetched.value, fetched)
    } catch (error) {
      if (error instanceof CardFetchError) return failedRow(key, error.faults)
      throw error
    }
  }
}

/** A card does not say which model an agent uses. */
const UNKNOWN_MODEL = 'unknown'

const LONG_KEY = valueError(
  [],
  `the URL of the card has more than ${MAX_EXTERNAL_KEY_LENGTH} characters; send external_key`,
)

/** The id of an agent would let the author of the card choose which agent of the team the import changes. */
const UUID_KEY = valueError([], 'the URL of the preferred interface is a UUID; send external_key')

/** Without a given key, the URL of the card or else of its preferred interface is the key. */
function toRow(
  { documents, now }: ImportCardDeps,
  request: CardImport,
  value: Record<string, unknown>,
  fetched: Fetched | undefined,
): ReadRow {
  const { external_key: given, override_name: name } = request
  const reading = readCard(documents, value)
  if (!reading.card) return failedRow(given ?? fetched?.url ?? null, reading.faults)
  const { card, version, warnings } = reading
  const own = preferredInterface(card) ?? card.supportedInterfaces[0]
  const key = given ?? fetched?.url ?? own?.url ?? ''
  if (key.length > MAX_EXTERNAL_KEY_LENGTH) return failedRow(null, [LONG_KEY])
  if (given === undefined && parseUuid(key).ok) return failedRow(null, [UUID_KEY])
  const { agent_name, import_metadata, ...fields } = toCardFields(card, version, fetched)
  return {
    ...emptyRow(key),
    expectedRevision: request.expected_revision,
    importedAt: Math.floor(now() / 1_000),
    fields: present({
      ...fields,
      protocol: 'a2a',
      agent_name: name ?? agent_name,
      import_metadata: present({ ...import_metadata, override_name: name }),
      rate_limit_requests_per_minute: request.rate_limit_requests_per_minute,
    }),
    onCreate: { model_name: UNKNOWN_MODEL, access_level: 'grey_box' },
    warnings: [...warnings, ...cardWarnings(card)],
  }
}

function failedRow(key: string | null, faults: readonly ValidationError[]): ReadRow {
  return { ...emptyRow(key), faults }
}

const emptyRow = (externalKey: string | null): ReadRow => ({
  externalKey,
  fields: {},
  warnings: [],
  faults: [],
  line: null,
  importedAt: null,
  isForeign: true,
})
