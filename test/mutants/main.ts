import { spawn } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { copyProject } from './copy.ts'
import { MUTANTS, type Mutant } from './mutants.ts'

const HELP = `npm run mutants [-- TEXT]

Plants known bugs in a copy of the project, one at a time, and runs the test that must find each: it passes without the bug and
fails with it. With TEXT only the bugs whose name contains it. The exit code is 1 if a bug is not found.
`

/** A test that a bug leaves hanging fails after this time. */
const TEST_TIMEOUT_MS = 60_000

type Outcome = 'passed' | 'failed' | 'did not run'

const [wanted = ''] = process.argv.slice(2)
if (wanted === '--help') {
  process.stdout.write(HELP)
} else {
  process.exitCode = await prove(MUTANTS.filter(({ name }) => name.includes(wanted)))
}

async function prove(mutants: Mutant[]): Promise<number> {
  const folder = copyProject()
  let caught = 0
  try {
    for (const [index, mutant] of mutants.entries()) {
      const since = performance.now()
      const problem = await check(folder, mutant)
      if (problem === undefined) caught++
      const seconds = ((performance.now() - since) / 1_000).toFixed(1)
      const verdict = problem === undefined ? 'caught' : `NOT CAUGHT: ${problem}`
      process.stdout.write(`${index + 1}/${mutants.length} ${mutant.name}: ${verdict} (${seconds} s)\n`)
      process.stdout.write(`    ${mutant.test[0]}: … ${mutant.test[1]} …\n`)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  process.stdout.write(`${caught} of ${mutants.length} planted bugs are caught\n`)
  return caught === mutants.length && caught > 0 ? 0 : 1
}

/** Undefined if the test passes without the bug and fails with it. */
async function check(folder: string, { file, find, replace, test }: Mutant): Promise<string | undefined> {
  const before = await runTest(folder, test)
  if (before !== 'passed') return `without the bug, the test ${before}`
  const path = join(folder, file)
  const source = readFileSync(path, 'utf8')
  if (source.split(find).length !== 2) return `${file} does not have the text to replace exactly once`
  writeFileSync(
    path,
    source.replace(find, () => replace),
  )
  try {
    const after = await runTest(folder, test)
    return after === 'failed' ? undefined : `with the bug, the test ${after}`
  } finally {
    writeFileSync(path, source)
  }
}

async function runTest(folder: string, [file, name]: Mutant['test']): Promise<Outcome> {
  const child = spawn(
    process.execPath,
    [
      '--conditions=agent-console-source',
      ...['--import', './test/support/file-deadline.ts'],
      ...['--expose-gc', '--test', '--test-reporter=tap', `--test-timeout=${TEST_TIMEOUT_MS}`],
      `--test-name-pattern=${RegExp.escape(name)}`,
      file,
    ],
    // A run of tests within a run of tests would report to that one.
    {
      cwd: folder,
      env: { ...process.env, NODE_TEST_CONTEXT: undefined },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  const output = await text(child.stdout)
  const results = output
    .split('\n')
    .filter((line) => /^ *(?:not )?ok \d+ - /.test(line) && line.includes(name))
  if (results.length === 0) return 'did not run'
  return results.some((line) => line.trimStart().startsWith('not ok')) ? 'failed' : 'passed'
}
