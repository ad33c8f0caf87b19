import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { SecretText } from './secret-text.ts'

/** Sealing of secrets: AES-256-GCM under the first key of a ring; the others still open what they sealed. */

export interface KeyringEntry {
  id: string
  /** 32 bytes. */
  key: Buffer
}

/** What a secret belongs to. A sealed secret opens in this place and in no other. */
export interface SecretPlace {
  teamId: string
  agentId: string
  field: string
}

export interface Secrets {
  seal: (place: SecretPlace, secret: SecretText) => Buffer
  open: (place: SecretPlace, sealed: Buffer) => SecretText
  /** What tells whether two secrets are the same without opening either: one fingerprint under every key of
   * the ring, the sealing key's first. */
  fingerprints: (place: SecretPlace, secret: SecretText) => Buffer[]
  /** What everything sealed under the first key begins with, and nothing else does. */
  prefix: Buffer
}

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

export function createSecrets(keyring: readonly KeyringEntry[]): Secrets {
  const keys = keyring.map(({ id, key }) => ({
    id,
    sealing: Buffer.from(hkdfSync('sha256', key, '', 'agent-console secret sealing', 32)),
    fingerprinting: Buffer.from(hkdfSync('sha256', key, '', 'agent-console secret fingerprint', 32)),
  }))
  const [first] = keys
  if (!first) throw new Error('A keyring needs at least one key')

  const keyId = Buffer.from(first.id)
  const prefix = Buffer.concat([Buffer.from([VERSION, keyId.length]), keyId])

  return {
    prefix,

    seal(place, secret) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', first.sealing, nonce).setAAD(describe(place))
      const text = Buffer.concat([cipher.update(secret.reveal(), 'utf8'), cipher.final()])
      return Buffer.concat([prefix, nonce, cipher.getAuthTag(), text])
    },

    open(place, sealed) {
      const sealedBy = sealingKeyId(sealed)
      const key = keys.find(({ id }) => id === sealedBy)
      if (!key) throw new Error(`The keyring has no key ${sealedBy}`)
      const start = 2 + Buffer.byteLength(sealedBy)
      const nonce = sealed.subarray(start, start + NONCE_BYTES)
      const tag = sealed.subarray(start + NONCE_BYTES, start + NONCE_BYTES + TAG_BYTES)
      const text = sealed.subarray(start + NONCE_BYTES + TAG_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', key.sealing, nonce, { authTagLength: TAG_BYTES })
      decipher.setAAD(describe(place)).setAuthTag(tag)
      return new SecretText(Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8'))
    },

    fingerprints: (place, secret) =>
      keys.map((key) =>
        createHmac('sha256', key.fingerprinting).update(describe(place)).update(secret.reveal()).digest(),
      ),
  }
}

/** Which key of the ring sealed this. */
function sealingKeyId(sealed: Buffer): string {
  const [version, length = 0] = sealed
  if (version !== VERSION) throw new Error(`Sealed secrets of version ${version} are not known here`)
  return sealed.subarray(2, 2 + length).toString()
}

/** Unambiguous: none of the parts can hold the separator. */
function describe({ teamId, agentId, field }: SecretPlace): Buffer {
  return Buffer.from(`${teamId}\0${agentId}\0${field}\0`)
}

const MASK = '*'.repeat(8)

/** What everybody else sees of a secret. */
export function maskSecret(secret: SecretText): string {
  const characters = Array.from(secret.reveal())
  return characters.length >= 20 ? MASK + characters.slice(-4).join('') : MASK
}

/** A value that can only be a mask somebody read here before. */
export function isMaskShaped(value: string): boolean {
  return /^\*{8}(?:.{4})?$/su.test(value)
}
