import { rm } from 'node:fs/promises'
import { readJson, writeJson } from './files.ts'
import type { Paths } from './paths.ts'
import type { Profile, Storage } from './profiles.ts'
import { checkLogin, type Login, type LoginStore } from './stored-login.ts'

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
