import { rm } from 'node:fs/promises'
import { Failure } from '../failure.ts'
import { readJson, writeJson } from './files.ts'
import type { Paths } from './paths.ts'
import type { Profile, Storage } from './profiles.ts'

/** The tokens of a user. */
export interface Login {
  access_token: string
  /** Absent: the issuer gives none, and the login ends with the access token. */
  refresh_token?: string
  /** Unix time in seconds. */
  expires_at: number
}

export interface LoginStore {
  /** Undefined: there is no login. */
  read: () => Promise<Login | undefined>
  write: (login: Login) => Promise<void>
  remove: () => Promise<void>
}

export async function openLoginStore(
  name: string,
  { storage, url }: Pick<Profile, 'storage' | 'url'>,
  paths: Paths,
): Promise<LoginStore> {
  if (storage === 'file') return createFileStore(paths.login(name), url)
  const { createKeyringStore } = await import('./keyring.ts')
  return createKeyringStore(`${name} at ${url}`)
}

/** The file is named by the profile only. */
export interface FileLogin extends Login {
  /** The console that the tokens are for. */
  url: string
}

function createFileStore(path: string, url: string): LoginStore {
  return {
    read: async () => {
      const stored = (await readJson(path)) as Partial<FileLogin> | undefined
      // Another process may have logged in to another console with this profile.
      return stored?.url === url ? checkLogin(stored, path) : undefined
    },
    write: (login) => writeJson(path, { ...login, url } satisfies FileLogin),
    remove: () => rm(path, { force: true }),
  }
}

/** Where it is, in a sentence. */
export const describeStorage = (storage: Storage): string =>
  storage === 'file' ? 'a file that only you can read' : 'the keyring of the system'

export function checkLogin(value: unknown, where: string): Login | undefined {
  if (value === undefined) return undefined
  const { access_token: token, expires_at: end } = Object(value) as Partial<Login>
  if (typeof token !== 'string' || typeof end !== 'number') {
    throw new Failure(`${where} holds no valid login. Run: agent-console login`)
  }
  return value as Login
}
