import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'

/** Runs proofs or measurements by their names. A test whose amount of work is `sized` is a proof, too. */

const KINDS = {
  proof: ['{test,cli/test,sdk/test}/**/*.{proof,test}.ts'],
  measure: ['{test,cli/test}/**/*.measure.ts'],
}
type Kind = keyof typeof KINDS

/** For one file. The long form of a proof can take more than an hour. */
const TIMEOUT_MS = { short: 1_200_000, long: 4 * 3_600_000 }

/** Paths by name: the name of the file up to its first dot. */
export function findByName(kind: Kind): Map<string, string> {
  const isByName = (file: string) =>
    !file.endsWith('.test.ts') || /\bsized\(/.test(readFileSync(file, 'utf8'))
  const files = globSync(KINDS[kind]).filter(isByName).toSorted()
  const byName = new Map<string, string>()
  for (const file of files) {
    const [name = ''] = basename(file).split('.')
    const other = byName.get(name)
    if (other !== undefined) throw new Error(`${file} and ${other} have the same name`)
    byName.set(name, file)
  }
  return byName
}

interface Run {
  files: string[]
  size: keyof typeof TIMEOUT_MS
  seed: string | undefined
  /** What is measured runs alone. */
  concurrency: number
}

async function run({ files, size, seed, concurrency }: Run): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      '--conditions=agent-console-source',
      '--import=./test/support/file-deadline.ts',
      '--expose-gc',
      '--test',
      `--test-concurrency=${concurrency}`,
      ...files,
    ],
    {
      env: {
        ...process.env,
        TEST_SIZE: size,
        TEST_FILE_TIMEOUT_MS: String(TIMEOUT_MS[size]),
        ...(seed !== undefined && { TEST_SEED: seed }),
      },
      stdio: 'inherit',
    },
  )
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { long: { type: 'boolean' }, seed: { type: 'string' } },
  })
  const [kind, ...names] = positionals as [Kind, ...string[]]
  const known = findByName(kind)
  const unknown = names.filter((name) => !known.has(name))
  if (names.length === 0 || unknown.length > 0) {
    if (unknown.length > 0) process.stderr.write(`There is no ${kind} ${unknown.join(', ')}.\n`)
    process.stdout.write(
      `npm run ${kind} -- NAME… [--long] [--seed N]\n\n${[...known.keys()].toSorted().join('\n')}\n`,
    )
    process.exitCode = unknown.length > 0 ? 1 : 0
  } else {
    const files = names.map((name) => known.get(name) as string)
    const size = values.long ? 'long' : 'short'
    const concurrency = kind === 'proof' && size === 'short' ? 2 : 1
    process.exitCode = await run({ files, size, seed: values.seed, concurrency })
  }
}
