import { createPrivateKey, createPublicKey, hash, type JsonWebKey, type KeyObject } from 'node:crypto'
import { type JWTPayload, SignJWT } from 'jose'
import { SecretText } from './secrets.ts'

interface SigningKey {
  alg: string
  kid: string
  privateKey: KeyObject
  publicJwk: JsonWebKey
}

const PEM = /-----BEGIN PRIVATE KEY-----[\s\S]*?-----END PRIVATE KEY-----/g

/** One or more private keys in PEM. An error names a key by its position and quotes nothing. */
export function parseSigningKeys(text: string): SecretText[] {
  // Where a variable cannot hold line breaks, `\n` stands for them.
  const lines = text.replaceAll('\\n', '\n')
  const pems = lines.match(PEM) ?? []
  if (pems.length === 0 || lines.replaceAll(PEM, '').trim() !== '') {
    throw new Error('must be one or more private keys in PEM (-----BEGIN PRIVATE KEY-----), and nothing else')
  }
  const keys = pems.map((pem) => new SecretText(pem))
  const ids = keys.map((key, index) => readKey(key, index).kid)
  if (new Set(ids).size < ids.length) throw new Error('has the same key twice')
  return keys
}

/** Signs with the first key of the console. */
export class Signer {
  /** The public parts of all keys, as a JWK Set (RFC 7517). */
  readonly publicKeys: { keys: JsonWebKey[] }
  readonly #first: SigningKey | undefined

  constructor(pems: readonly SecretText[]) {
    const keys = pems.map(readKey)
    this.#first = keys[0]
    this.publicKeys = { keys: keys.map(({ publicJwk }) => publicJwk) }
  }

  /** `typ` is the type of the token in its header. */
  async sign(claims: JWTPayload, typ: string): Promise<string> {
    if (!this.#first) throw new Error('There is no key to sign with')
    const { alg, kid, privateKey } = this.#first
    return new SignJWT(claims).setProtectedHeader({ alg, kid, typ }).sign(privateKey)
  }
}

function readKey(pem: SecretText, index: number): SigningKey {
  const privateKey = tryRead(() => createPrivateKey(pem.reveal()))
  const alg = privateKey && algorithmOf(privateKey)
  if (!alg) throw new Error(`must be Ed25519 or P-256 keys; key ${index + 1} is not one`)
  const publicJwk = describe(createPublicKey(privateKey).export({ format: 'jwk' }), alg)
  return { alg, kid: publicJwk.kid, privateKey, publicJwk }
}

function describe(publicJwk: JsonWebKey, alg: string) {
  return { ...publicJwk, kid: thumbprint(publicJwk), alg, use: 'sig' }
}

function tryRead(read: () => KeyObject): KeyObject | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string | undefined {
  if (asymmetricKeyType === 'ed25519') return 'EdDSA'
  return asymmetricKeyDetails?.namedCurve === 'prime256v1' ? 'ES256' : undefined
}

/** RFC 7638: every replica derives the same id from the same key. */
function thumbprint(publicJwk: JsonWebKey): string {
  const members = Object.entries(publicJwk).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return hash('sha256', JSON.stringify(Object.fromEntries(members)), 'base64url')
}
