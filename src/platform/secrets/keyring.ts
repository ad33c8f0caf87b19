import type { KeyringEntry } from './secrets.ts'

/** Parses the variable SECRETS_KEYS. An error names a key by its position: the text of the entry may be the key itself. */
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
