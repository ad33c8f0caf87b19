import { randomUUID } from 'node:crypto'
import type * as keyring from '@napi-rs/keyring'
import { Failure } from '../failure.ts'
import { checkLogin, type LoginStore } from './stored-login.ts'

const SERVICE = 'agent-console'
/** Windows stores at most 2,560 bytes in an entry, in UTF-16: two tokens are longer. */
const PART_LENGTH = 1_200
const MAX_PARTS = 32

/** Only the keyring of the desktop. By default the package falls back to a keyring of the Linux kernel, which forgets
 * after some days, without a word. */
const OPTIONS = { linux: { store: 'secret-service' } } as const

/** The login in the keyring of the system: Keychain, Credential Manager or Secret Service. */
export async function createKeyringStore(account: string): Promise<LoginStore> {
  const { AsyncEntry } = await loadKeyring()
  return createEntryStore(
    (part) => new AsyncEntry(SERVICE, part === 0 ? account : `${account} (${part})`, OPTIONS),
  )
}

type Entry = Pick<keyring.AsyncEntry, 'getPassword' | 'setPassword' | 'deletePassword'>

/** A login in several entries, all of which begin with the id of their write and their number. */
export function createEntryStore(entry: (part: number) => Entry): LoginStore {
  /** Undefined also if the entries are not of one write: another process is writing, or was killed while it did. */
  const readText = async () => {
    const first = (await entry(0).getPassword()) ?? ''
    const [start, count] = /^[\da-f-]{36}:(\d+):/.exec(first) ?? []
    if (start === undefined) return undefined
    const others = Array.from({ length: Number(count) - 1 }, (_, index) => entry(index + 1).getPassword())
    const parts = [first, ...(await Promise.all(others))]
    if (!parts.every((part) => part?.startsWith(start))) return undefined
    return parts.map((part) => part?.slice(start.length)).join('')
  }

  const removeFrom = async (first: number) => {
    for (let part = first; part < MAX_PARTS; part++) {
      if (!(await entry(part).deletePassword())) break
    }
  }

  return {
    read: () => guarded(async () => checkLogin(parse(await readText()), 'The keyring')),
    write: (login) =>
      guarded(async () => {
        const parts = JSON.stringify(login).match(new RegExp(`.{1,${PART_LENGTH}}`, 'gs')) ?? []
        if (parts.length > MAX_PARTS) throw new Error('the tokens are too long')
        const start = `${randomUUID()}:${parts.length}:`
        for (const [index, part] of parts.entries()) await entry(index).setPassword(start + part)
        await removeFrom(parts.length)
      }),
    remove: () => guarded(() => removeFrom(0)),
  }
}

async function loadKeyring(): Promise<typeof keyring> {
  try {
    return await import('@napi-rs/keyring')
  } catch {
    throw keyringFailure('the package @napi-rs/keyring is not installed for this platform')
  }
}

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Failure ? error : keyringFailure((error as Error).message)
  }
}

/** Both ways out: a login must never land in a file without the user knowing. */
function keyringFailure(reason: string): Failure {
  return new Failure(
    [
      `The keyring of the system cannot be used: ${reason}.`,
      'Either log in with --insecure-storage, which stores the login in a file that only you can read,',
      'or set AGENT_CONSOLE_TOKEN, or AGENT_CONSOLE_CLIENT_ID and AGENT_CONSOLE_CLIENT_SECRET.',
    ].join('\n'),
  )
}

/** Undefined if it is not JSON: the error of the parser would quote a token. */
function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
