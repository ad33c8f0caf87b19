import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { type Answer, refusal } from './answer.ts'

/** Undefined when the token is good, else what to answer. */
export type CheckToken = (authorization: string | undefined) => Promise<Answer | undefined>

const ALGORITHMS = ['ES256', 'ES384', 'ES512', 'RS256', 'PS256', 'EdDSA']

/** Says nothing about the token: jose could not get at the keys. */
const KEYS_UNAVAILABLE = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT'])

/** Checks the forwarded token as a service does that trusts the issuer and not the console in front of it. */
export function createTokenCheck(issuer: string, audience: string): CheckToken {
  let keys: Promise<JWTVerifyGetKey> | undefined

  // At the first request: the issuer may start after this service does.
  const loadKeys = async (): Promise<JWTVerifyGetKey> => {
    keys ??= discover(issuer).then((uri) => createRemoteJWKSet(uri, { cooldownDuration: 0 }))
    try {
      return await keys
    } catch (error) {
      keys = undefined
      throw error
    }
  }

  return async (authorization) => {
    const [, token] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? []
    if (!token) return refusal(401, 'A bearer token is needed', { 'www-authenticate': 'Bearer' })
    try {
      await jwtVerify(token, await loadKeys(), {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: 30,
      })
      return undefined
    } catch (error) {
      if (!(error instanceof errors.JOSEError) || KEYS_UNAVAILABLE.has(error.code)) {
        return refusal(503, 'The keys of the issuer cannot be had')
      }
      return refusal(401, `The token is not valid: ${error.message}`, {
        'www-authenticate': 'Bearer error="invalid_token"',
      })
    }
  }
}

async function discover(issuer: string): Promise<URL> {
  const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
    signal: AbortSignal.timeout(5_000),
  })
  const found = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown }
  if (found.issuer !== issuer || typeof found.jwks_uri !== 'string') {
    throw new Error(`${issuer} does not say where its keys are`)
  }
  return new URL(found.jwks_uri)
}
