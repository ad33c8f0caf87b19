import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mayBreak } from './release/versions.ts'

/** Fails when the document breaks clients of the previous release and its version does not announce it. The release is the newest tag `v*`; before
 * the first one there is nothing to break. */
const ROOT = new URL('..', import.meta.url).pathname

/** The oasdiff program: the one that OASDIFF names, which CI sets and which must then run, else the one on PATH.
 * Undefined where there is none. */
export function findOasdiff(): string | undefined {
  const named = process.env['OASDIFF']
  const { status } = spawnSync(named ?? 'oasdiff', ['--version'], { stdio: 'ignore' })
  if (status === 0) return named ?? 'oasdiff'
  if (named !== undefined) throw new Error(`OASDIFF names ${named}, which does not run`)
  return undefined
}

export const OASDIFF_MISSING =
  'oasdiff is not installed, so breaking changes were not checked here; CI checks them. See https://www.oasdiff.com'

/** Whether `revision` breaks clients of `base`. */
export function checkBreaking(base: string, revision: string): { breaks: boolean; report: string } {
  const oasdiff = findOasdiff()
  if (oasdiff === undefined) throw new Error(OASDIFF_MISSING)
  const { status, stdout, stderr } = spawnSync(oasdiff, ['breaking', '--fail-on', 'ERR', base, revision], {
    encoding: 'utf8',
  })
  if (status === null || status > 1) throw new Error(`oasdiff failed: ${stderr}`)
  return { breaks: status === 1, report: stdout }
}

/** The newest tag of a release before this commit. Undefined before the first one. */
export function previousRelease(): string | undefined {
  const tags = execFileSync('git', ['tag', '--list', 'v*', '--sort=-version:refname', '--merged'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  return tags.split('\n').find((tag) => tag !== '')
}

const versionOf = (path: string): string =>
  (JSON.parse(readFileSync(path, 'utf8')) as { info: { version: string } }).info.version

if (import.meta.main) {
  const tag = previousRelease()
  if (findOasdiff() === undefined) {
    process.stdout.write(`${OASDIFF_MISSING}\n`)
  } else if (tag === undefined) {
    process.stdout.write('No release yet: nothing to break.\n')
  } else {
    const folder = mkdtempSync(join(tmpdir(), 'console-openapi-'))
    try {
      const base = join(folder, 'openapi.json')
      writeFileSync(base, execFileSync('git', ['show', `${tag}:openapi.json`], { cwd: ROOT }))
      const { breaks, report } = checkBreaking(base, join(ROOT, 'openapi.json'))
      process.stdout.write(`Compared with ${tag}.\n${report}\n`)
      const isAnnounced = mayBreak(versionOf(base), versionOf(join(ROOT, 'openapi.json')))
      process.exitCode = breaks && !isAnnounced ? 1 : 0
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
}
