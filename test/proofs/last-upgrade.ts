import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

export interface Upgrade {
  /** The code that runs while the schema changes. */
  root: string
  /** The migrations before and after. */
  before: string
  after: string
  files: string[]
  isSample: boolean
  remove: () => void
}

/** The newest migration, with the code of the commit before it. The sample migrations with the code of today if there is only
 * the baseline. */
export function prepareUpgrade(): Upgrade {
  const migrations = join(ROOT, 'migrations')
  const files = readdirSync(migrations).toSorted()
  const newest = files.at(-1) ?? ''
  const folder = mkdtempSync(join(tmpdir(), 'console-upgrade-'))
  if (files.length === 1) {
    cpSync(migrations, folder, { recursive: true })
    const samples = join(import.meta.dirname, 'sample-migrations')
    cpSync(samples, folder, { recursive: true })
    const remove = () => rmSync(folder, { recursive: true })
    return {
      root: ROOT,
      before: migrations,
      after: folder,
      files: readdirSync(samples),
      isSample: true,
      remove,
    }
  }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
  const added = git('log', '-1', '--diff-filter=A', '--format=%H', '--', `migrations/${newest}`)
  git('worktree', 'add', '--detach', folder, added ? `${added}~1` : 'HEAD')
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const remove = () => void git('worktree', 'remove', '--force', folder)
  return {
    root: folder,
    before: join(folder, 'migrations'),
    after: migrations,
    files: [newest],
    isSample: false,
    remove,
  }
}
