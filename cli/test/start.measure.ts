import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { buildCli } from '../scripts/build.ts'

/** Of each command, in turns, so that a busy machine slows both. */
const ROUNDS = 15
const MAX_RATIO = 1.8

describe('the start of the command line', () => {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cli-start-'))
    await buildCli(join(folder, 'dist'))
  })
  after(() => rm(folder, { recursive: true }))

  it(`of --version takes at most ${MAX_RATIO} times the processor time of Node itself`, (t) => {
    const program = join(folder, 'dist/agent-console.js')
    const commands = { bare: ['-e', '0'], version: [program, '--version'], help: [program, '--help'] }
    const least = {
      bare: Number.POSITIVE_INFINITY,
      version: Number.POSITIVE_INFINITY,
      help: Number.POSITIVE_INFINITY,
    }
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of ['bare', 'version', 'help'] as const) {
        least[name] = Math.min(least[name], cpuMs(commands[name], join(folder, 'cache')))
      }
    }
    const ratio = least.version / least.bare
    const shown = Object.entries(least).map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`)
    t.diagnostic(`${shown.join(', ')}; ${ratio.toFixed(2)} times`)
    assert.ok(ratio <= MAX_RATIO, `${ratio.toFixed(2)} times`)
  })
})

/** The processor time of a Node process, as the shell reports it for its child. */
function cpuMs(args: string[], cache: string): number {
  const script = 'TIMEFORMAT="%U %S"; time "$0" "$@" >/dev/null'
  const { stderr } = spawnSync('bash', ['--norc', '-c', script, process.execPath, ...args], {
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: cache, LC_ALL: 'C' },
    encoding: 'utf8',
  })
  const [user = 0, system = 0] = stderr.trim().split(' ').map(Number)
  assert.ok(user + system > 0, stderr)
  return (user + system) * 1_000
}
