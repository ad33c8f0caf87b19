import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { inspect } from 'node:util'

export interface KeyringEntry {
  id: string
  /** 32 bytes. */
  key: Buffer
}

/** Where a secret is stored. It is authenticated with the secret: a sealed secret copied to another place does not
 * open. */
export interface SecretPlace {
  teamId: string
  agentId: string
  field: string
}

/** The format of a sealed secret, in its first byte. */
const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const PADDED_TO_BYTES = 64

interface DerivedKey {
  id: string
  sealing: Buffer
  fingerprinting: Buffer
}

/** Encrypts secrets with AES-256-GCM. The first key of the keyring seals; every key opens what it sealed. */
export class Secrets {
  /** The first bytes of every secret that was sealed with the first key in the current format, and of no other. */
  readonly prefix: Buffer
  readonly #keys: readonly DerivedKey[]
  readonly #first: DerivedKey

  constructor(keyring: readonly KeyringEntry[]) {
    this.#keys = keyring.map(deriveKey)
    const [first] = this.#keys
    if (!first) throw new Error('The keyring must have at least one key')
    const keyId = Buffer.from(first.id)
    this.#first = first
    this.prefix = Buffer.concat([Buffer.from([VERSION, keyId.length]), keyId])
  }

  seal(place: SecretPlace, secret: SecretText): Buffer {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#first.sealing, nonce)
    cipher.setAAD(Buffer.concat([this.prefix, describe(place)]))
    const text = Buffer.concat([cipher.update(pad(secret.reveal())), cipher.final()])
    return Buffer.concat([this.prefix, nonce, cipher.getAuthTag(), text])
  }

  open(place: SecretPlace, sealed: Buffer): SecretText {
    const sealedWith = readKeyId(sealed)
    const key = this.#keys.find(({ id }) => id === sealedWith)
    if (!key) throw new Error(`The keyring has no key ${sealedWith}`)
    const start = 2 + Buffer.byteLength(sealedWith)
    const nonce = sealed.subarray(start, start + NONCE_BYTES)
    const tag = sealed.subarray(start + NONCE_BYTES, start + NONCE_BYTES + TAG_BYTES)
    const text = sealed.subarray(start + NONCE_BYTES + TAG_BYTES)
    const decipher = createDecipheriv('aes-256-gcm', key.sealing, nonce, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.concat([sealed.subarray(0, start), describe(place)]))
    decipher.setAuthTag(tag)
    const opened = Buffer.concat([decipher.update(text), decipher.final()])
    return new SecretText(withoutPadding(opened).toString('utf8'))
  }

  /** One fingerprint for each key of the keyring, that of the sealing key first. Equal secrets in the same place have
   * equal fingerprints. */
  fingerprints(place: SecretPlace, secret: SecretText): Buffer[] {
    return this.#keys.map(({ fingerprinting }) =>
      createHmac('sha256', fingerprinting).update(describe(place)).update(secret.reveal()).digest(),
    )
  }
}

function deriveKey({ id, key }: KeyringEntry): DerivedKey {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', key, '', `agent-console secret ${purpose}`, 32))
  return { id, sealing: derive('sealing'), fingerprinting: derive('fingerprint') }
}

function readKeyId(sealed: Buffer): string {
  const [version = 0, length = 0] = sealed
  if (version !== VERSION) throw new Error(`Unknown version of a sealed secret: ${version}`)
  return sealed.subarray(2, 2 + length).toString()
}

const PADDING_STARTS = 0x80

/** The text, one byte 0x80, and zeros up to a multiple of 64 bytes (ISO/IEC 7816-4), so that the length of a sealed
 * secret does not show the length of the secret. */
function pad(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const padded = Buffer.alloc(Math.ceil((length + 1) / PADDED_TO_BYTES) * PADDED_TO_BYTES)
  padded.write(text)
  padded[length] = PADDING_STARTS
  return padded
}

function withoutPadding(padded: Buffer): Buffer {
  return padded.subarray(0, padded.lastIndexOf(PADDING_STARTS))
}

/** Unambiguous: no part can contain the separator. */
function describe({ teamId, agentId, field }: SecretPlace): Buffer {
  return Buffer.from(`${teamId}\0${agentId}\0${field}\0`)
}

const MASK = '*'.repeat(8)

/** The form in which responses and the history show a secret. */
export function maskSecret(secret: SecretText): string {
  const characters = Array.from(secret.reveal())
  return characters.length >= 20 ? MASK + characters.slice(-4).join('') : MASK
}

/** Whether a value has the form of a mask: a client may send back what it read. */
export function isMaskShaped(value: string): boolean {
  return /^\*{8}(?:.{4})?$/su.test(value)
}

/** Parses the variable SECRETS_KEYS. An error names a key by its position: the text of the entry may be the key
 * itself. */
export function parseKeyring(text: string): KeyringEntry[] {
  const entries = text.split(',').map((entry, index) => {
    const [id = '', base64 = '', ...rest] = entry.trim().split(':')
    const key = Buffer.from(base64, 'base64')
    if (!/^[\w.-]{1,64}$/.test(id) || rest.length > 0 || key.length !== 32) {
      throw new Error(`must be id:base64,id:base64 with 32 bytes in each key; entry ${index + 1} is invalid`)
    }
    return { id, key }
  })
  const weak = entries.findIndex(({ key }) => key.every((byte) => byte === key[0]))
  if (weak !== -1) throw new Error(`must have random keys; all bytes of entry ${weak + 1} are equal`)
  for (const [what, values] of [
    ['id', entries.map(({ id }) => id)],
    ['bytes', entries.map(({ key }) => key.toString('hex'))],
  ] as const) {
    if (new Set(values).size < entries.length) throw new Error(`has two keys with the same ${what}`)
  }
  return entries
}

const PLACEHOLDER = '[secret]'

/** Holds a secret in memory. Logging, printing, serialising or concatenating it gives the placeholder; only `reveal`
 * returns the text, so that every use of it can be found by name. */
export class SecretText {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  reveal(): string {
    return this.#text
  }

  toString(): string {
    return PLACEHOLDER
  }

  toJSON(): string {
    return PLACEHOLDER
  }

  [inspect.custom](): string {
    return PLACEHOLDER
  }
}
