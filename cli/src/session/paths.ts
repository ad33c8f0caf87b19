import { posix, win32 } from 'node:path'
import { UsageError } from '../failure.ts'
import type { Io } from '../io.ts'

export interface Paths {
  folder: string
  /** Profiles, without anything secret. */
  config: string
  /** The login of a profile, if it is stored in a file. */
  login: (profile: string) => string
  lock: (profile: string) => string
}

type Place = Pick<Io, 'env' | 'platform' | 'home'>

/** `%APPDATA%` on Windows; elsewhere the XDG base directories, which specify that a relative path is ignored. */
export function pathsOf({ env, platform, home }: Place): Paths {
  const path = platform === 'win32' ? win32 : posix
  const named = env[platform === 'win32' ? 'APPDATA' : 'XDG_CONFIG_HOME'] ?? ''
  const fallback = platform === 'win32' ? path.join(home, 'AppData', 'Roaming') : path.join(home, '.config')
  const folder = path.join(path.isAbsolute(named) ? named : fallback, 'agent-console')
  return {
    folder,
    config: path.join(folder, 'config.json'),
    login: (profile) => path.join(folder, 'logins', `${profile}.json`),
    lock: (profile) => path.join(folder, 'logins', `${profile}.lock`),
  }
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
/** Names that Windows takes for devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/** The name of a profile is part of the names of files. */
export function checkProfileName(name: string): string {
  if (!NAME.test(name) || name.endsWith('.') || DEVICE.test(name)) {
    throw new UsageError(
      `${name} cannot be the name of a profile: use letters, digits, dots, hyphens and underscores, at most 64.`,
    )
  }
  return name
}
