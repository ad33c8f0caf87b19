import type { JWTPayload } from 'jose'

/** Asymmetric only: with HS256 on the list, an attacker could sign with the public key. */
export const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')
export const LEEWAY_SECONDS = 30

/** An access token or a plain JWT (RFC 9068 section 2.1, RFC 7515 section 4.1.9). Other types, such as `logout+jwt` and
 * `dpop+jwt`, are signed with the same keys and mean something else. */
const ACCEPTED_TYPE = /^(?:application\/)?(?:at\+)?jwt$/i

interface Profile {
  nowSeconds: number
  maxLifetimeS: number
}

/** Why the console does not accept a token whose signature, issuer, audience and times are right: a sentence for each
 * rule that it breaks. */
export function findProfileFaults(
  { typ }: { typ?: unknown },
  { cnf, exp = 0, iat }: JWTPayload,
  { nowSeconds, maxLifetimeS }: Profile,
): string[] {
  const faults: string[] = []
  if (typ !== undefined && !(typeof typ === 'string' && ACCEPTED_TYPE.test(typ))) {
    faults.push("The token's type is not accepted: typ must be JWT, at+jwt or absent.")
  }
  // RFC 7800: only the holder of the key may use the token, which the console cannot check.
  if (cnf !== undefined) {
    faults.push('The token is bound to a key (claim cnf), which the console does not check.')
  }
  // A token from the future must not live longer than one from now.
  const startsAt = Math.min(iat ?? nowSeconds, nowSeconds + LEEWAY_SECONDS)
  if (exp - startsAt > maxLifetimeS) {
    faults.push(`The token is valid for longer than ${maxLifetimeS} seconds.`)
  }
  return faults
}
