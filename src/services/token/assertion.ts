import type { Signer } from '../../platform/secrets/signer.ts'
import type { MadeToken, MountedCaller } from './token-cache.ts'

export interface AssertionOptions {
  /** The name of the console in the claim `iss`. */
  issuer: string
  signer: Signer
  /** Milliseconds since the epoch. */
  now: () => number
  newId: () => string
}

const LIFETIME_SECONDS = 60

/** Makes the token in which the console tells a service who calls (RFC 9068). The calls of a caller share it for half of its
 * lifetime, so it names no request: the header `x-request-id` does. */
export function createAssertion({ issuer, signer, now, newId }: AssertionOptions) {
  return async (audience: string, caller: MountedCaller): Promise<MadeToken> => {
    const { userId, teamId, permissions, name, clientId } = caller
    const nowMs = now()
    const iat = Math.floor(nowMs / 1_000)
    const claims = {
      ...{ iss: issuer, aud: audience, sub: userId, team_id: teamId, permissions: [...permissions] },
      ...(name ? { name } : {}),
      ...(clientId ? { client_id: clientId } : {}),
      ...{ jti: newId(), iat, exp: iat + LIFETIME_SECONDS },
    }
    return {
      token: await signer.sign(claims, 'at+jwt'),
      usableUntilMs: nowMs + (LIFETIME_SECONDS * 1_000) / 2,
    }
  }
}
