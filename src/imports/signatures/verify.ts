import { type FlattenedJWS, flattenedVerify } from 'jose'
import type { CardAlgorithm, CardKey, CardSignature, SignedForm } from '../../contract/card-signature.ts'
import type { CardVersion } from '../cards/card.ts'
import { canonicalJson } from './canonical-json.ts'
import { compact, type Values, withoutEmpty, withPresence } from './presence.ts'
import { importKey } from './public-key.ts'

export type TrustedKey = Pick<CardKey, 'kid' | 'algorithm' | 'public_key' | 'origins'>

/** A card and what is known about it. */
export interface SignedCard {
  /** As it was received. */
  value: Values
  version: CardVersion
  /** Where it was fetched from, or the origins of its interfaces. Null stands for an interface whose URL has no origin. */
  origins: readonly (string | null)[]
}

export interface Verification {
  signature: CardSignature
  /** If it is verified: the card without what the signature does not cover. */
  covered?: Values
}

/** A card has one signature, or two while its key is replaced. */
const MAX_SIGNATURES = 8
const MAX_HEADER_LENGTH = 8_192
const MAX_SIGNATURE_LENGTH = 2_048

/** Verifies the signatures of a card with keys of the team. Nothing in a signature can name another key: `jku`, `jwk`, `x5u` and
 * `x5c` are not read, and the unprotected header is not either. */
export async function verifyCard(card: SignedCard, keys: readonly TrustedKey[]): Promise<Verification> {
  const { signatures } = card.value
  if (signatures == null || (Array.isArray(signatures) && signatures.length === 0)) return result('absent')
  if (!Array.isArray(signatures) || signatures.length > MAX_SIGNATURES) return result('invalid')
  if (signatures.some(isSigstoreBundle)) return result('unsupported_format')
  const forms = createForms(card)
  let isInvalid = false
  for (const signature of signatures) {
    const verified = await verifySignature(signature, card, keys, forms)
    if (verified.covered) return verified
    isInvalid ||= verified.signature.state === 'invalid'
  }
  return result(isInvalid ? 'invalid' : 'untrusted_key')
}

const result = (state: CardSignature['state']): Verification => ({ signature: { state } })

async function verifySignature(
  signature: unknown,
  { origins }: SignedCard,
  keys: readonly TrustedKey[],
  forms: Forms,
): Promise<Verification> {
  const read = readSignature(signature)
  if (!read) return result('invalid')
  const { kid, alg, jws } = read
  const key = keys.find((each) => each.kid === kid)
  if (!key || !origins.every((origin) => origin !== null && key.origins.includes(origin))) {
    return result('untrusted_key')
  }
  if (alg !== key.algorithm) return result('invalid')
  for (const { form, payload, covered } of forms()) {
    if (await matches({ ...jws, payload }, key))
      return { signature: { state: 'verified', kid, form }, covered }
  }
  return result('invalid')
}

/** Undefined if it is malformed, or has an algorithm with which no signature proves anything. */
function readSignature(signature: unknown) {
  const { protected: header, signature: bytes } = (signature ?? {}) as Record<string, unknown>
  if (typeof header !== 'string' || header.length > MAX_HEADER_LENGTH) return undefined
  if (typeof bytes !== 'string' || bytes.length > MAX_SIGNATURE_LENGTH) return undefined
  const { kid, alg } = decodeHeader(header)
  if (typeof kid !== 'string' || typeof alg !== 'string' || /^(?:none|HS\d+)$/i.test(alg)) return undefined
  return { kid, alg, jws: { protected: header, signature: bytes } }
}

function decodeHeader(header: string): { kid?: unknown; alg?: unknown } {
  try {
    return (JSON.parse(Buffer.from(header, 'base64url').toString()) ?? {}) as object
  } catch {
    return {}
  }
}

/** Only the algorithm of the key is accepted. jose refuses critical extensions (`crit`), which it does not know. */
async function matches(jws: FlattenedJWS, { algorithm, public_key: jwk }: TrustedKey): Promise<boolean> {
  const key = importKey(jwk)
  if (!key) return false
  const algorithms: CardAlgorithm[] = [algorithm]
  return flattenedVerify(jws, key, { algorithms }).then(
    () => true,
    () => false,
  )
}

/** The texts that may have been signed, encoded, without repetitions, each with the card as the text has it. */
type Forms = () => Iterable<{ form: SignedForm; payload: string; covered: Values }>

function createForms({ value, version }: SignedCard): Forms {
  const { signatures: _, ...card } = value
  const present = withPresence(card, version)
  const made: { form: SignedForm; text: () => unknown; covered: () => Values }[] = [
    { form: 'transmitted', text: () => card, covered: () => card },
    { form: 'presence', text: () => present, covered: () => present },
    { form: 'compact', text: () => compact(present) ?? {}, covered: () => withoutEmpty(present) },
  ]
  return function* () {
    const seen = new Set<string>()
    for (const { form, text, covered } of made) {
      const payload = Buffer.from(canonicalJson(text())).toString('base64url')
      if (seen.size < seen.add(payload).size) yield { form, payload, covered: covered() }
    }
  }
}

/** A bundle in place of a JWS. */
function isSigstoreBundle(signature: unknown): boolean {
  const { mediaType, verificationMaterial } = (signature ?? {}) as Record<string, unknown>
  return verificationMaterial != null || String(mediaType).startsWith('application/vnd.dev.sigstore.bundle')
}

/** The card within a card that was signed with Sigstore, which wraps it. Undefined if it is not wrapped. */
export function unwrapSigstore(value: Values): unknown {
  const isWrapped = value['verificationMaterial'] != null || value['attestations'] != null
  return isWrapped ? value['agentCard'] : undefined
}
