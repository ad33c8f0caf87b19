import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { type AgentCard, generateAgentCardSignature } from '@a2a-js/sdk'
import { FlattenedSign } from 'jose'
import type { CardAlgorithm } from '../../src/contract/card-signature.ts'
import type { TrustedKey } from '../../src/imports/signatures/verify.ts'
import type { Json } from './agent-cards.ts'

export interface CardSigner {
  key: TrustedKey
  privateKey: KeyObject
}

const PAIRS: Record<CardAlgorithm, () => { publicKey: KeyObject; privateKey: KeyObject }> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
}

export function createCardSigner(algorithm: CardAlgorithm, kid: string, origins: string[]): CardSigner {
  const { publicKey, privateKey } = PAIRS[algorithm]()
  const jwk = publicKey.export({ format: 'jwk' })
  return { key: { kid, algorithm, public_key: { ...jwk }, origins }, privateKey }
}

/** Signs a card as the official SDK of A2A does. */
export async function signWithSdk(
  card: Json,
  { key, privateKey }: CardSigner,
  header: object = {},
): Promise<Json> {
  const protectedHeader = { alg: key.algorithm, kid: key.kid, typ: 'JOSE', ...header }
  const sign = generateAgentCardSignature(privateKey, protectedHeader)
  // The SDK takes the JSON form of a card too.
  return JSON.parse(JSON.stringify(await sign(card as unknown as AgentCard))) as Json
}

/** Signs any text in the name of a card. */
export async function signText(
  card: Json,
  text: string,
  { key, privateKey }: CardSigner,
  header: object = {},
): Promise<Json> {
  const jws = await new FlattenedSign(Buffer.from(text))
    .setProtectedHeader({ alg: key.algorithm, kid: key.kid, typ: 'JOSE', ...header })
    .sign(privateKey)
  return { ...card, signatures: [{ protected: jws.protected, signature: jws.signature }] }
}
