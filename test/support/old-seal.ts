import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { KeyringEntry, SecretPlace } from '../../src/platform/secrets/secrets.ts'

/** Seals a secret as version 1 did: without padding. */
export function sealWithoutPadding({ id, key }: KeyringEntry, place: SecretPlace, text: string): Buffer {
  const sealing = Buffer.from(hkdfSync('sha256', key, '', 'agent-console secret sealing', 32))
  const nonce = randomBytes(12)
  const { teamId, agentId, field } = place
  const cipher = createCipheriv('aes-256-gcm', sealing, nonce)
  cipher.setAAD(Buffer.from(`${teamId}\0${agentId}\0${field}\0`))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.from([1, id.length]), Buffer.from(id), nonce, cipher.getAuthTag(), sealed])
}
