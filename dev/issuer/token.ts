import { PERMISSIONS } from '../../src/api/caller.ts'
import { apiResource, clientId, clientSecret, type Identity } from './client.ts'

export interface TokenRequest extends Identity {
  /** Space separated; every permission when absent, none when empty. */
  scope?: string
}

/** The first token can take long on a busy machine: the issuer has just started. */
const TIMEOUT_MS = 60_000

/** A real client_credentials grant, over HTTP. */
export async function requestToken(url: string, request: TokenRequest): Promise<string> {
  const { scope = PERMISSIONS.join(' ') } = request
  const credentials = Buffer.from(`${clientId(request)}:${clientSecret}`).toString('base64')
  const response = await fetch(`${url}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}` },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      resource: apiResource,
      ...(scope && { scope }),
    }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: Error) => {
    throw new Error(`The issuer at ${url} gave no token: ${error.message}`)
  })
  const body: unknown = await response.json()
  if (typeof body === 'object' && body && 'access_token' in body && typeof body.access_token === 'string') {
    return body.access_token
  }
  throw new Error(`The issuer gave no token: ${response.status} ${JSON.stringify(body)}`)
}
