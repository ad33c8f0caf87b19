import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const MIGRATIONS = join(ROOT, 'migrations')

export interface Upgrade {
  /** The tag or the commit of the version before. Absent if it is the code of today, with sample migrations. */
  from?: string
  /** The code of the version before, which runs while the schema changes. */
  root: string
  /** The migrations before and after. */
  before: string
  after: string
  /** The migrations in between. */
  files: string[]
  remove: () => void
}

/** The newest migration, with the code of the commit before it. Without that commit, the sample migrations with the code of
 * today: a clone need not have the whole history. */
export function prepareUpgrade(): Upgrade {
  const newest = readdirSync(MIGRATIONS).toSorted().at(-1) ?? ''
  const commit = findCommitBefore(`migrations/${newest}`)
  return commit === undefined ? addSamples() : checkOut(commit)
}

/** The release before this code. Without one, as `prepareUpgrade`. */
export function prepareReleaseUpgrade(): Upgrade {
  const tag = findPreviousRelease()
  return tag === undefined ? prepareUpgrade() : checkOut(tag, installPackages)
}

function addSamples(): Upgrade {
  const folder = mkdtempSync(join(tmpdir(), 'console-upgrade-'))
  const samples = join(import.meta.dirname, 'sample-migrations')
  for (const from of [MIGRATIONS, samples]) cpSync(from, folder, { recursive: true })
  const remove = () => rmSync(folder, { recursive: true })
  return { root: ROOT, before: MIGRATIONS, after: folder, files: readdirSync(samples), remove }
}

function checkOut(commit: string, addPackages = linkPackages): Upgrade {
  const folder = mkdtempSync(join(tmpdir(), 'console-upgrade-'))
  git('worktree', 'add', '--detach', folder, commit)
  addPackages(folder)
  const before = join(folder, 'migrations')
  const old = readdirSync(before)
  return {
    from: commit,
    root: folder,
    before,
    after: MIGRATIONS,
    files: readdirSync(MIGRATIONS).filter((file) => !old.includes(file)),
    remove: () => void git('worktree', 'remove', '--force', folder),
  }
}

/** The code before runs with the packages of today: to install others takes longer than the proof. */
function linkPackages(folder: string): void {
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
}

/** A release runs with the packages that it was released with. */
function installPackages(folder: string): void {
  const read = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8')
  if (read(folder) === read(ROOT)) linkPackages(folder)
  else
    execFileSync('npm', ['ci', '--ignore-scripts', '--prefer-offline', '--loglevel=error'], { cwd: folder })
}

/** The newest tag `v*` of a commit before this one. Undefined before the first release, and in a clone without tags. */
function findPreviousRelease(): string | undefined {
  const order = ['--merged=HEAD', '--no-contains=HEAD', '--sort=-version:refname']
  return git('tag', '--list', 'v*', ...order).split('\n')[0] || undefined
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
