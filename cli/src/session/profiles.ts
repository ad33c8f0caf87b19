import { Failure } from '../failure.ts'
import { readJson, writeJson } from './files.ts'
import { withLock } from './lock.ts'
import { checkProfileName, type Paths } from './paths.ts'

export type Storage = 'keyring' | 'file'

/** A console, and how to log in to it. It holds no secret. */
export interface Profile {
  url: string
  issuer: string
  client_id: string
  scope: string
  resource?: string
  /** Where the login is stored. */
  storage: Storage
}

export interface Config {
  current?: string
  profiles: Record<string, Profile>
}

const DEFAULT_PROFILE = 'default'

export async function readConfig({ config: path }: Paths): Promise<Config> {
  const config = (await readJson(path)) ?? { profiles: {} }
  const { profiles, current } = Object(config) as Partial<Config>
  const isValid =
    typeof profiles === 'object' &&
    profiles !== null &&
    Object.values(profiles).every(
      (profile) => typeof profile?.url === 'string' && typeof profile.issuer === 'string',
    )
  if (!isValid) throw new Failure(`${path} has no valid profiles. Correct it, or delete it and log in again.`)
  return { ...(typeof current === 'string' && { current }), profiles }
}

/** Changes the file while no other process does. */
export async function changeConfig(
  paths: Paths,
  signal: AbortSignal,
  change: (config: Config) => Config,
): Promise<void> {
  await withLock(`${paths.config}.lock`, signal, async () =>
    writeJson(paths.config, change(await readConfig(paths))),
  )
}

/** The profile that a command uses: the option, the environment, the current one, `default`. */
export function chosenProfile(
  option: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  { current }: Config,
): string {
  return checkProfileName(option ?? (env['AGENT_CONSOLE_PROFILE'] || (current ?? DEFAULT_PROFILE)))
}

export function unknownProfile(name: string, { profiles }: Config): string {
  const known = Object.keys(profiles).join(', ') || 'none'
  return `There is no profile ${name}. Profiles: ${known}.`
}

export function findProfile({ profiles }: Config, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined
}
