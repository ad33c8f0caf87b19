import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { allowInsecureRequests, discoveryRequest, processDiscoveryResponse } from 'oauth4webapi'

/** Why a token is not accepted. Each service formats it in its own way. */
export interface Refused {
  status: number
  detail: string
  headers?: Record<string, string>
}

const ALGORITHMS = ['ES256', 'ES384', 'ES512', 'RS256', 'PS256', 'EdDSA']

/** jose could not load the keys, so the token may be valid. */
const KEYS_UNAVAILABLE = new Set(['ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_TIMEOUT'])

/** Verifies the forwarded token with the keys of its issuer: the service does not trust the network. `jwksUrl` is discovered
 * from the issuer when absent. */
export function createTokenCheck(
  issuer: string,
  audience: string,
  jwksUrl: () => Promise<URL> | URL = () => discover(issuer),
): (authorization: string | undefined) => Promise<{ claims: JWTPayload } | { refused: Refused }> {
  let keys: Promise<JWTVerifyGetKey> | undefined

  // Loaded at the first request: the issuer may start after this service.
  const loadKeys = async (): Promise<JWTVerifyGetKey> => {
    keys ??= Promise.resolve(jwksUrl()).then((url) => createRemoteJWKSet(url, { cooldownDuration: 0 }))
    try {
      return await keys
    } catch (error) {
      keys = undefined
      throw error
    }
  }

  return async (authorization) => {
    const [, token] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? []
    if (!token) return refused(401, 'A bearer token is needed', 'Bearer')
    try {
      const { payload } = await jwtVerify(token, await loadKeys(), {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: 30,
      })
      return { claims: payload }
    } catch (error) {
      if (!(error instanceof errors.JOSEError) || KEYS_UNAVAILABLE.has(error.code)) {
        return refused(503, 'Cannot load the keys of the issuer')
      }
      return refused(401, `The token is not valid: ${error.message}`, 'Bearer error="invalid_token"')
    }
  }
}

const refused = (status: number, detail: string, challenge?: string) => ({
  refused: { status, detail, ...(challenge && { headers: { 'www-authenticate': challenge } }) },
})

async function discover(issuer: string): Promise<URL> {
  const url = new URL(issuer)
  const response = await discoveryRequest(url, {
    [allowInsecureRequests]: true,
    signal: AbortSignal.timeout(5_000),
  })
  const { jwks_uri: keys } = await processDiscoveryResponse(url, response)
  if (!keys) throw new Error(`${issuer} names no keys`)
  return new URL(keys)
}
