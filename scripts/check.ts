import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'

/** The longest first: at the end nothing would run beside them. */
const CHECKS: Record<string, string> = {
  lint: 'oxlint --deny-warnings',
  types:
    'tsc --checkers 1 -p tsconfig.json && tsc --checkers 1 -p sdk/tsconfig.json --noEmit && tsc --checkers 1 -p cli/tsconfig.json',
  web: 'tsc --checkers 1 -p web/tsconfig.json',
  release: 'npm run --silent release:check && npm run --silent release:breaks',
  python: 'pyright --project python --warnings',
  openapi:
    'node scripts/check-openapi.ts && redocly lint openapi.json asyncapi.json dev/services/*/openapi.json && node scripts/check-breaking.ts',
  unused: 'knip',
  format: 'biome check .',
  migrations: 'node scripts/check-migrations.ts',
  sdk: 'node tools/codegen/main.ts --check',
  dashboards: 'node scripts/dashboards.ts --check',
  licences: 'node scripts/check-licences.ts',
}

/** The compiler and the linter are written in Go. Each gets one core, and more memory before it collects garbage: that takes
 * half of the CPU time. */
const environment = { ...process.env, GOMAXPROCS: '1', GOGC: '400' }

const names = process.argv.slice(2)
const unknown = names.filter((name) => !Object.hasOwn(CHECKS, name))
if (unknown.length > 0) {
  process.stderr.write(`npm run check -- [${Object.keys(CHECKS).join('|')}]…\n`)
  process.exit(1)
}
const waiting = (names.length > 0 ? names : Object.keys(CHECKS)).values()

async function runInTurn(): Promise<void> {
  for (const name of waiting) {
    const begun = performance.now()
    const { isPassed, output } = await run(CHECKS[name] ?? '')
    const seconds = ((performance.now() - begun) / 1_000).toFixed(0)
    process.stdout.write(isPassed ? `ok      ${name}, ${seconds} s\n` : `${output}\nFAILED  ${name}\n`)
    if (!isPassed) process.exitCode = 1
  }
}

async function run(command: string): Promise<{ isPassed: boolean; output: string }> {
  const child = spawn(command, { shell: true, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { isPassed: code === 0, output: output + errors }
}

/** Runs the checks that are named, or all, as many at once as there are cores. Prints the output of those that fail. */
await Promise.all(Array.from({ length: availableParallelism() }, runInTurn))
