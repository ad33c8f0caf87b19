import { execFileSync } from 'node:child_process'
import { type Hashes, hash } from './frozen.ts'

/** The migrations of the newest release, which is the newest tag `v*`. Empty before the first one. */
export function readReleased(root: string): Hashes {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' })
  const tag = git('tag', '--list', 'v*', '--sort=-version:refname', '--merged').split('\n')[0]
  if (!tag) return {}
  const files = git('ls-tree', '--name-only', tag, 'migrations/').split('\n').filter(Boolean)
  return Object.fromEntries(
    files.map((file) => [file.replace('migrations/', ''), hash(git('show', `${tag}:${file}`))]),
  )
}
