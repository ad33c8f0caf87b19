import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { CardAlgorithm } from '../../contract/card-signature.ts'

const RSA_BITS = { min: 2_048, max: 8_192 }

/** What a key must be for each algorithm. */
const FITS: Record<CardAlgorithm, (key: KeyObject) => boolean> = {
  ES256: ({ asymmetricKeyDetails: details }) => details?.namedCurve === 'prime256v1',
  ES384: ({ asymmetricKeyDetails: details }) => details?.namedCurve === 'secp384r1',
  EdDSA: ({ asymmetricKeyType: type }) => type === 'ed25519',
  PS256: isRsa,
  RS256: isRsa,
}

function isRsa({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean {
  const bits = details?.modulusLength ?? 0
  return type === 'rsa' && bits >= RSA_BITS.min && bits <= RSA_BITS.max
}

/** Members of private and of symmetric keys (RFC 7518 section 6). */
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** The members of a public key that say what the key is, or why it is refused. */
export function readPublicKey(
  jwk: Record<string, unknown>,
  algorithm: CardAlgorithm,
): { jwk: JsonWebKey } | { reason: string } {
  if (PRIVATE.some((name) => Object.hasOwn(jwk, name))) {
    return {
      reason:
        'this is a private key; send the public key only, and replace the key, which is no longer secret',
    }
  }
  const key = importKey(jwk)
  if (!key) return { reason: 'this is no public key in the format JWK' }
  if (!FITS[algorithm](key)) return { reason: `this key does not fit the algorithm ${algorithm}` }
  return { jwk: key.export({ format: 'jwk' }) }
}

/** Undefined if this is no public key. */
export function importKey(jwk: object): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
  } catch {
    return undefined
  }
}
