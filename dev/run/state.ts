import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
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

/** A server that is used, and where it is, for the screen. */
export interface Found {
  url: string
  where: string
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
  const make = async (name: string, content: () => string | object | Promise<object>) => {
    if (!existsSync(file(name))) writeWhole(file(name), await content())
  }
  await make('issuer-key.json', async () => {
    const { createSigningKey } = await import('../issuer/keys.ts')
    return (await createSigningKey('ES256')).privateJwk
  })
  await make('signing-key.pem', () =>
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  )
  await make('identity.json', () => {
    const secretsKeys = `dev:${randomBytes(32).toString('base64')}`
    return { user: randomUUID(), team: randomUUID(), secretsKeys }
  })
  const identity = JSON.parse(readFileSync(file('identity.json'), 'utf8')) as Identity
  return { folder, logs: file('logs'), identity, file }
}

/** Empties the folder, except for the lock that the caller holds. */
export function resetFolder(folder: string): void {
  for (const name of readdirSync(folder)) {
    // The cache holds only compiled code, and this process is using it.
    if (name !== 'lock' && name !== 'cache') rmSync(join(folder, name), { recursive: true, force: true })
  }
}

/** A reader sees the old content or the new, never a part of it. */
export function writeWhole(path: string, content: string | object): void {
  const text = typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`
  writeFileSync(`${path}.new`, text, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
