import { execFileSync } from 'node:child_process'
import { chownSync, globSync } from 'node:fs'
import { dirname } from 'node:path'

/** Debian installs them outside PATH; on other systems `pg_config` has the folder. Undefined if not installed. */
export function findBinaries(): string | undefined {
  const debian = globSync('/usr/lib/postgresql/*/bin/initdb').toSorted().at(-1)
  if (debian) return dirname(debian)
  try {
    return execFileSync('pg_config', ['--bindir'], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}

/** PostgreSQL refuses to run as root. Gives the folder to the user postgres, and returns the command that runs another one
 * as that user: nothing where this is not root. */
export function unprivileged(folder: string): string[] {
  if (process.getuid?.() !== 0) return []
  const [user = 0, group = 0] = ['-u', '-g'].map((flag) =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' })),
  )
  chownSync(folder, user, group)
  return ['setpriv', `--reuid=${user}`, `--regid=${group}`, '--clear-groups']
}
