import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose'

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
  const kid = await calculateJwkThumbprint(publicKey)
  const described = { alg, kid, use: 'sig' }
  return {
    alg,
    kid,
    privateKey,
    privateJwk: { ...(await exportJWK(privateKey)), ...described },
    publicJwk: { ...(await exportJWK(publicKey)), ...described },
  }
}
