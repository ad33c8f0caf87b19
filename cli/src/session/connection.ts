import { NotLoggedIn, UsageError } from '../failure.ts'
import type { Io } from '../io.ts'
import { loginCommand } from './login-command.ts'
import { pathsOf } from './paths.ts'
import { chosenProfile, findProfile, readConfig, type Storage, unknownProfile } from './profiles.ts'

/** A console and a way to get tokens for it. */
export interface Connection {
  url: string
  profile: string | undefined
  source: 'AGENT_CONSOLE_TOKEN' | 'AGENT_CONSOLE_CLIENT_ID' | 'login'
  /** Where the login is stored. Undefined: the token comes from the environment. */
  storage: Storage | undefined
  /** A token that can be used now. */
  token: () => Promise<string>
}

export interface ConnectOptions {
  io: Io
  /** The options `--url` and `--profile`. */
  url: string | undefined
  profile: string | undefined
  /** The console that the files of a configuration set belong to. */
  defaultUrl?: string | undefined
  timeoutMs: number
}

/** The requests that get a token run under a lock, which another process takes over after two minutes. */
const MAX_TIMEOUT_MS = 30_000

/** The token of the environment comes first, then client credentials, then the login of the profile. */
export async function connect({ io, ...given }: ConnectOptions): Promise<Connection> {
  const { env } = io
  const timeoutMs = Math.min(given.timeoutMs, MAX_TIMEOUT_MS)
  const paths = pathsOf(io)
  const config = await readConfig(paths)
  const name = chosenProfile(given.profile, env, config)
  const profile = findProfile(config, name)
  const asked = (given.url ?? env['AGENT_CONSOLE_URL']) || given.defaultUrl
  const url = asked ? readUrl(asked) : profile?.url
  if (url === undefined) {
    const hasProfiles = Object.keys(config.profiles).length > 0
    throw new UsageError(
      hasProfiles
        ? unknownProfile(name, config)
        : 'No console is named. Set AGENT_CONSOLE_URL, or run: agent-console login --url URL',
    )
  }
  const { AGENT_CONSOLE_TOKEN: token, AGENT_CONSOLE_CLIENT_ID: clientId } = env
  const fromEnvironment = { url, profile: undefined, storage: undefined }
  if (token) return { ...fromEnvironment, source: 'AGENT_CONSOLE_TOKEN', token: async () => token.trim() }
  if (clientId) {
    const { createClientTokens } = await import('./client-credentials.ts')
    const tokens = createClientTokens({ url, io, timeoutMs })
    return { ...fromEnvironment, source: 'AGENT_CONSOLE_CLIENT_ID', token: tokens }
  }
  if (!profile) {
    throw new NotLoggedIn(`There is no login for ${url}. Run: ${loginCommand(name)} --url ${url}`)
  }
  // A token must not reach another server than the one that it was issued for.
  if (profile.url !== url) {
    throw new UsageError(
      `The profile ${name} belongs to ${profile.url}, not to ${url}. Log in to ${url} with another --profile.`,
    )
  }
  const [{ openLoginStore }, { currentLogin }] = await Promise.all([
    import('./login-store.ts'),
    import('./refresh.ts'),
  ])
  const store = await openLoginStore(name, profile, paths)
  const options = { name, profile, store, lockPath: paths.lock(name), io, timeoutMs }
  return {
    ...{ url, profile: name, source: 'login', storage: profile.storage },
    token: async () => (await currentLogin(options)).access_token,
  }
}

/** The address of a console as profiles store it: without a slash at its end. */
export function readUrl(text: string): string {
  const url = URL.parse(text)
  // Not repeated in an error: it may be a password.
  if (url?.username || url?.password)
    throw new UsageError('The address of a console has no user name or password.')
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash) {
    throw new UsageError(`${text} is not the address of a console, such as https://console.example.com`)
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}
