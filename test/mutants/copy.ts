import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..', '..')

/** Copies the files of the project that git knows of or would add, as they are now, with links to the installed packages. A bug
 * is planted in the copy, never in the files that a person works on. */
export function copyProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'console-mutants-'))
  const options = { cwd: ROOT, encoding: 'utf8' } as const
  const listed = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    options,
  )
  for (const file of listed.split('\0').filter((name) => name !== '' && existsSync(join(ROOT, name)))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(ROOT, file), join(folder, file))
  }
  linkPackages(folder)
  return folder
}

/** The workspaces are links within the project: in the copy they must lead to the copy. */
function linkPackages(folder: string): void {
  const from = join(ROOT, 'node_modules')
  const to = join(folder, 'node_modules')
  mkdirSync(to)
  for (const name of readdirSync(from)) {
    if (name === '@agent-console')
      cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true })
    else if (name !== '.cache') symlinkSync(join(from, name), join(to, name))
  }
}
