import { globSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { startChild } from './child.ts'
import { DevError } from './dev-error.ts'
import type { Lifetime } from './lifetime.ts'
import type { State } from './state.ts'

const ROOT = join(import.meta.dirname, '../..')
const BUILT = join(ROOT, 'web/dist/index.html')
/** What the browser console is built from. */
const SOURCES = ['web/*.{html,json,ts}', 'web/{src,public}/**', 'sdk/src/**', 'package-lock.json']

export interface WebOptions {
  environment: NodeJS.ProcessEnv
  state: State
  lifetime: Lifetime
}

/** Builds the browser console unless the last build is newer than all of its sources. Returns what it did. */
export async function buildWeb({ environment, state, lifetime }: WebOptions): Promise<string> {
  // Another build, which is taken as it is.
  const { WEB_FOLDER: folder } = environment
  if (folder) return `in ${folder}`
  if (isBuilt()) return 'the browser console, built before'
  const { ended } = startChild(
    {
      name: 'web',
      command: 'npm',
      args: ['run', 'build:web'],
      ready: /^/,
      environment: {
        // npm starts the first Node there.
        PATH: `${dirname(process.execPath)}:${environment['PATH']}`,
        HOME: environment['HOME'],
        TMPDIR: environment['TMPDIR'],
        NO_COLOR: '1',
        // Else npm leaves its compiled code in TMPDIR.
        NODE_DISABLE_COMPILE_CACHE: '1',
      },
    },
    lifetime,
    state.logs,
  )
  await ended
  if (!isBuilt()) {
    throw new DevError(`The browser console could not be built. Its log is ${join(state.logs, 'web.log')}.`)
  }
  return 'the browser console, built'
}

const isBuilt = () =>
  timeOf(BUILT) > Math.max(...globSync(SOURCES, { cwd: ROOT }).map((path) => timeOf(join(ROOT, path))))

/** Zero for a file that does not exist. */
function timeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
