import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What `npm run dev` keeps in its folder, so that yesterday's data and tokens are good today. */
export interface State {
  folder: string
  /** Emptied at each start. */
  logs: string
  identity: Identity
  /** A file of the folder. */
  file: (name: string) => string
}

interface Identity {
  user: string
  team: string
  secretsKeys: string
}

export async function openState(folder: string): Promise<State> {
  const file = (name: string) => join(folder, name)
  for (const name of ['logs', 'reports']) {
    rmSync(file(name), { recursive: true, force: true })
    mkdirSync(file(name))
  }
  if (!existsSync(file('issuer-key.json'))) {
    const { createSigningKey } = await import('../issuer/keys.ts')
    writeWhole(file('issuer-key.json'), (await createSigningKey('ES256')).privateJwk)
  }
  if (!existsSync(file('signing-key.pem'))) {
    const { privateKey } = generateKeyPairSync('ed25519')
    writeWhole(file('signing-key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  }
  if (!existsSync(file('identity.json'))) {
    const secretsKeys = `dev:${randomBytes(32).toString('base64')}`
    writeWhole(file('identity.json'), { user: randomUUID(), team: randomUUID(), secretsKeys })
  }
  const identity = JSON.parse(readFileSync(file('identity.json'), 'utf8')) as Identity
  return { folder, logs: file('logs'), identity, file }
}

/** A reader sees the old content or the new, never a part of it. */
export function writeWhole(path: string, content: string | object): void {
  const text = typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`
  writeFileSync(`${path}.new`, text, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
