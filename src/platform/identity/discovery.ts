import { fetchJson } from './fetch-json.ts'

const FETCH_LIMITS = { timeoutMs: 5_000, maxBytes: 1024 * 1024 }

/** Reads the discovery document of an issuer (OpenID Connect Discovery 1.0). */
export async function discover(issuer: string): Promise<Record<string, unknown>> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const { json } = await fetchJson(url, FETCH_LIMITS)
  const document = Object(json) as Record<string, unknown>
  if (document['issuer'] !== issuer) throw new Error('The discovery document has another issuer')
  return document
}
