import { type ValidationError, valueError } from '../../api/problem.ts'
import { parseUuid } from '../../api/uuid.ts'
import type { Core } from '../../core.ts'
import { CardFetchError, type FetchRequest, fetchCard, present, readCardFields } from '../cards/feature.ts'
import type { ReadRow } from './import-rows.ts'
import { type AgentImport, MAX_EXTERNAL_KEY_LENGTH } from './import-schema.ts'

/** The members of a JSON body except `rows`: a card, and options. Their schema has been checked. */
export type CardImport = Omit<AgentImport, 'rows'>

/** Reads the row of an import from an agent card. A card that cannot be fetched is a fault of its row. */
export async function readCardRow(
  core: Pick<Core, 'outbound' | 'now'>,
  request: CardImport,
  context: FetchRequest,
): Promise<ReadRow> {
  const { card, card_url: url = '', external_key: key = null } = request
  if (card) return toCardRow(core, request, readCardFields(card))
  try {
    const fetched = await fetchCard(core, url, context)
    return toCardRow(core, request, readCardFields(fetched.value, fetched), fetched.url)
  } catch (error) {
    if (error instanceof CardFetchError) return rowWithFaults(key, error.faults)
    throw error
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
function toCardRow(
  { now }: Pick<Core, 'now'>,
  request: CardImport,
  card: ReturnType<typeof readCardFields>,
  url?: string,
): ReadRow {
  const { external_key: given, override_name: name } = request
  if (!card.fields) return rowWithFaults(given ?? url ?? null, card.faults)
  const { agent_name, import_metadata, ...fields } = card.fields
  const { pinned_interface: pinned, interfaces } = import_metadata
  const key = given ?? url ?? (pinned ?? interfaces[0])?.url ?? ''
  if (key.length > MAX_EXTERNAL_KEY_LENGTH) return rowWithFaults(null, [LONG_KEY])
  if (given === undefined && parseUuid(key).ok) return rowWithFaults(null, [UUID_KEY])
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
    warnings: card.warnings,
  }
}

function rowWithFaults(key: string | null, faults: readonly ValidationError[]): ReadRow {
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
