import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mayBreak } from './release/versions.ts'

/**
 * Lists the changes of the API that break clients of a release: `npm run release:breaks -- [FROM_TAG [TO_TAG]]`. Without
 * tags, it compares the newest release with the committed document; before the first release there is nothing to break. Fails
 * if the version does not announce breaking changes.
 */
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

/** The document that a tag has. Throws a sentence if there is no such tag or document. */
export function documentOf(tag: string, root: string): string {
  try {
    return execFileSync('git', ['show', `refs/tags/${tag}:openapi.json`], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 2 ** 28,
    })
  } catch {
    throw new Error(`There is no tag ${tag} with an openapi.json`)
  }
}

const versionOf = (document: string): string =>
  (JSON.parse(document) as { info: { version: string } }).info.version

/** Whether one document breaks clients of another, and whether its version announces that. */
export function compareDocuments(
  before: string,
  after: string,
): { breaks: boolean; isAnnounced: boolean; report: string } {
  const folder = mkdtempSync(join(tmpdir(), 'console-openapi-'))
  try {
    const base = join(folder, 'before.json')
    const revision = join(folder, 'after.json')
    writeFileSync(base, before)
    writeFileSync(revision, after)
    return { ...checkBreaking(base, revision), isAnnounced: mayBreak(versionOf(before), versionOf(after)) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Whether the version may be released. */
function main([from = previousRelease(), to]: string[]): boolean {
  if (from === undefined) {
    process.stdout.write('There is no release yet: no tag v* to compare with.\n')
    return true
  }
  const before = documentOf(from, ROOT)
  const after = to === undefined ? readFileSync(join(ROOT, 'openapi.json'), 'utf8') : documentOf(to, ROOT)
  if (findOasdiff() === undefined) {
    process.stdout.write(`${OASDIFF_MISSING}\n`)
    return true
  }
  const { breaks, isAnnounced, report } = compareDocuments(before, after)
  process.stdout.write(`${from} to ${to ?? 'openapi.json'}:\n${report}\n`)
  if (!breaks || isAnnounced) return true
  process.stderr.write('The version does not announce breaking changes: see docs/releasing.md.\n')
  return false
}

if (import.meta.main) {
  try {
    process.exitCode = main(process.argv.slice(2)) ? 0 : 1
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exitCode = 1
  }
}
