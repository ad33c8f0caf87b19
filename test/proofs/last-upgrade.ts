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

/** The newest migration, with the code of the commit before it. Without that commit, the sample migrations with the code of
 * today: a clone need not have the whole history. */
export function prepareUpgrade(): Upgrade {
  const migrations = join(ROOT, 'migrations')
  const newest = readdirSync(migrations).toSorted().at(-1) ?? ''
  const folder = mkdtempSync(join(tmpdir(), 'console-upgrade-'))
  const commit = findCommitBefore(`migrations/${newest}`)
  if (commit === undefined) {
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
  git('worktree', 'add', '--detach', folder, commit)
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

/** The commit before the one that added a file. Undefined if the file is the first migration, or the clone does not reach it. */
function findCommitBefore(file: string): string | undefined {
  try {
    const added = git('log', '-1', '--diff-filter=A', '--format=%H', '--', file)
    const before = git('rev-parse', '--verify', '--quiet', added === '' ? 'HEAD' : `${added}~1`)
    return git('ls-tree', '--name-only', before, 'migrations/') === '' ? undefined : before
  } catch {
    return undefined
  }
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
}
