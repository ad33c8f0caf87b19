import type { CardSignature } from '../../contract/card-signature.ts'
import { MAX_EXTERNAL_KEY_LENGTH } from '../../contract/imports.ts'
import { parseUuid } from '../../contract/uuid.ts'
import type { ValidationError } from '../../contract/validation-error.ts'
import type { ImportRequest, ImportRow } from '../row.ts'
import { applyPolicy } from '../signatures/policy.ts'
import type { CardTrust } from '../signatures/service.ts'
import { unwrapSigstore, verifyCard } from '../signatures/verify.ts'
import { valueError } from '../validation.ts'
import type { Card, CardVersion } from './card.ts'
import type { Documents } from './documents.ts'
import type { Fetched } from './fetch.ts'
import { readCard } from './read-card.ts'
import { cardWarnings, preferredInterface, toCardFields } from './to-agent.ts'
import { parseWebUrl } from './urls.ts'

/** A card that has been read and whose signatures have been checked. */
export type JudgedCard =
  | { card: Card; version: CardVersion; signature: CardSignature; warnings: string[] }
  | { card?: undefined; faults: ValidationError[]; signature?: CardSignature }

/** `source` is absent for a card in the body of a request or in the text of a catalog. */
export async function judgeCard(
  documents: Documents,
  { keys, policy }: CardTrust,
  value: Record<string, unknown>,
  source: Pick<Fetched, 'origin'> | undefined,
): Promise<JudgedCard> {
  const wrapped = unwrapSigstore(value)
  const reading = readCard(documents, wrapped ?? value)
  if (!reading.card) return { faults: reading.faults }
  const { interfaces } = reading.card
  const origins = source ? [source.origin] : interfaces.map(({ url }) => parseWebUrl(url)?.origin ?? null)
  const { signature, covered } =
    wrapped === undefined
      ? await verifyCard({ value, version: reading.version, origins }, keys)
      : ({ signature: { state: 'unsupported_format' } } as const)
  // What a signature does not cover must not become a field of an agent that counts as verified.
  const trusted = covered ? readCard(documents, covered) : reading
  if (!trusted.card) return { faults: trusted.faults, signature }
  const { card, version, warnings } = trusted
  const { refusal, warning } = applyPolicy(policy, signature)
  if (refusal !== undefined) return { signature, faults: [valueError(['signatures'], refusal)] }
  return {
    ...{ card, version, signature },
    warnings: [...warnings, ...cardWarnings(card), ...(warning === undefined ? [] : [warning])],
  }
}

/** What the request says about its agents. */
export type RowOptions = Pick<ImportRequest, 'override_name' | 'rate_limit_requests_per_minute'>

export interface RowContext {
  documents: Documents
  trust: CardTrust
  /** Unix time in seconds. */
  now: number
  options: RowOptions
}

/** A row for a card. Without a given key, the URL of the card or else of its preferred interface is the key. */
export async function readRow(
  { documents, trust, now, options }: RowContext,
  value: Record<string, unknown>,
  fetched: Fetched | undefined,
  givenKey: string | undefined,
): Promise<ImportRow> {
  const judged = await judgeCard(documents, trust, value, fetched)
  const { signature } = judged
  if (!judged.card) {
    return failedRow(givenKey ?? fetched?.url ?? null, judged.faults, signature)
  }
  const { card, version } = judged
  const own = preferredInterface(card) ?? card.interfaces[0]
  const key = givenKey ?? fetched?.url ?? own?.url ?? ''
  if (key.length > MAX_EXTERNAL_KEY_LENGTH) return failedRow(null, [LONG_KEY], signature)
  if (givenKey === undefined && parseUuid(key).ok) return failedRow(null, [UUID_KEY], signature)
  const fields = toCardFields(
    card,
    version,
    {
      ...(fetched && { url: fetched.url, digest: fetched.digest }),
      ...(fetched?.etag !== undefined && { etag: fetched.etag }),
    },
    judged.signature,
  )
  const { override_name: name, rate_limit_requests_per_minute: rateLimit } = options
  return {
    ...rowOf(key, signature),
    importedAt: now,
    fields: {
      ...fields,
      protocol: 'a2a',
      ...(name !== undefined && {
        agent_name: name,
        import_metadata: { ...fields.import_metadata, override_name: name },
      }),
      ...(rateLimit !== undefined && { rate_limit_requests_per_minute: rateLimit }),
    },
    onCreate: { model_name: UNKNOWN_MODEL, access_level: 'grey_box' },
    warnings: judged.warnings,
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

export function failedRow(
  key: string | null,
  faults: readonly ValidationError[],
  signature?: CardSignature,
): ImportRow {
  return { ...rowOf(key, signature), faults }
}

function rowOf(externalKey: string | null, signature: CardSignature | undefined): ImportRow {
  return {
    ...{ externalKey, fields: {}, warnings: [], faults: [], line: null, importedAt: null, isForeign: true },
    ...(signature && { signature }),
  }
}
