import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'
import packageFile from '../package.json' with { type: 'json' }

/** Runs every `check:…` of package.json, as many at once as there are cores. Prints the output of those that fail. */

/** The compiler and the linter are written in Go. Each gets one core, and more memory before it collects garbage: that takes
 * half of the CPU time. */
const environment = { ...process.env, GOMAXPROCS: '1', GOGC: '400' }

const checks = Object.keys(packageFile.scripts).filter((name) => name.startsWith('check:'))
const waiting = checks.values()

async function runInTurn(): Promise<void> {
  for (const check of waiting) {
    const begun = performance.now()
    const { isPassed, output } = await run(check)
    const seconds = ((performance.now() - begun) / 1_000).toFixed(0)
    process.stdout.write(isPassed ? `ok      ${check}, ${seconds} s\n` : `${output}\nFAILED  ${check}\n`)
    if (!isPassed) process.exitCode = 1
  }
}

async function run(check: string): Promise<{ isPassed: boolean; output: string }> {
  const child = spawn('npm', ['run', '--silent', check], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { isPassed: code === 0, output: output + errors }
}

await Promise.all(Array.from({ length: availableParallelism() }, runInTurn))
