import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'

export type SigningAlgorithm = 'ES256' | 'RS256'

export interface SigningKey {
  readonly alg: SigningAlgorithm
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly privateJwk: JWK
  readonly publicJwk: JWK
}

/** The `kid` is the RFC 7638 thumbprint: two keys can never share one, and a rotation always changes it. */
export async function createSigningKey(alg: SigningAlgorithm): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return describe(alg, privateKey, await exportJWK(privateKey), await exportJWK(publicKey))
}

/** The key of an earlier issuer, from its private JWK. */
export async function importSigningKey(jwk: JWK): Promise<SigningKey> {
  const { d: _, ...publicJwk } = jwk
  const privateKey = (await importJWK(jwk, 'ES256')) as CryptoKey
  return describe('ES256', privateKey, jwk, publicJwk)
}

async function describe(alg: SigningAlgorithm, privateKey: CryptoKey, privateJwk: JWK, publicJwk: JWK) {
  const kid = await calculateJwkThumbprint(publicJwk)
  const described = { alg, kid, use: 'sig' }
  return {
    alg,
    kid,
    privateKey,
    privateJwk: { ...privateJwk, ...described },
    publicJwk: { ...publicJwk, ...described },
  }
}
