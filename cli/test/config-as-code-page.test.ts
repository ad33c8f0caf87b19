import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { useConsole } from '../../test/support/console.ts'
import { buildCli } from '../scripts/build.ts'
import { useFolder } from './support/cli.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/config-as-code.md'), 'utf8')
const SEPARATOR = '=== next step ==='

interface Step {
  command: string
  /** `…` stands for any text. */
  expected: string | undefined
}

/** A job of GitHub Actions or of GitLab. */
interface Job {
  steps?: { run?: string }[]
  script?: string[]
}

describe('the page about configuration as code', async () => {
  const running = await useConsole()
  const { token } = await running.person()
  const folder = await useFolder()
  const programs = await installCli(await useFolder())
  const env = {
    ...{ PATH: `${programs}:${process.env['PATH']}`, HOME: folder, GITHUB_SHA: 'f00d' },
    ...{ AGENT_CONSOLE_URL: running.url, AGENT_CONSOLE_TOKEN: token },
    ...{ REFUND_KEY: 'demo-refund-key', REPOSITORY_TOKEN: 'demo-repository-token' },
  }
  /** Runs commands in one shell, which ends at the first failure. */
  const run = async (commands: string[]): Promise<string[]> => {
    const script = ['set -e', ...commands].join(`\necho '${SEPARATOR}'\n`)
    const shell = spawn('bash', ['-c', `exec 2>&1\n${script}`], { cwd: folder, env })
    const [printed, [code]] = await Promise.all([text(shell.stdout), once(shell, 'close')])
    assert.equal(code, 0, printed)
    return printed.split(`${SEPARATOR}\n`).slice(1)
  }

  it('has steps that print what it says', async () => {
    const steps = stepsOf(PAGE)
    assert.equal(steps.length, 11)
    const printed = await run(steps.map(({ command }) => command))
    for (const [index, { command, expected }] of steps.entries()) {
      assert.match(printed[index] ?? '', patternOf(expected ?? ''), command)
    }
  })

  it('has pipelines whose commands run', async () => {
    const pipelines = [...PAGE.matchAll(/^```yaml\n(.*?)^```$/gms)].map(
      ([, content = '']) => parse(content) as object,
    )
    assert.equal(pipelines.length, 2)
    for (const pipeline of pipelines) {
      const jobs = Object.values('jobs' in pipeline ? (pipeline.jobs as object) : pipeline) as Job[]
      const commands = jobs.flatMap(({ steps, script }) => [
        ...(steps?.map((step) => step.run) ?? []),
        ...(script ?? []),
      ])
      const run3 = commands.filter((command) => command !== undefined)
      assert.ok(run3.length >= 3)
      await run(run3)
    }
  })
})

/** The program as it is published, on a path of its own. */
async function installCli(folder: string): Promise<string> {
  await buildCli(join(folder, 'dist'))
  await mkdir(join(folder, 'bin'))
  const program = join(folder, 'bin/agent-console')
  await writeFile(
    program,
    `#!/bin/sh\nexec "${process.execPath}" "${join(folder, 'dist/agent-console.js')}" "$@"\n`,
  )
  await chmod(program, 0o755)
  return join(folder, 'bin')
}

/** The shell blocks, each with the block of output after it. */
function stepsOf(page: string): Step[] {
  const steps: Step[] = []
  for (const [, kind, content = ''] of page.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
    const last = steps.at(-1)
    if (kind === 'sh') steps.push({ command: content, expected: undefined })
    if (kind === 'text' && last) last.expected = content
  }
  return steps
}

function patternOf(expected: string): RegExp {
  const parts = expected.split('…').map((part) => RegExp.escape(part))
  return new RegExp(`^${parts.join('[\\s\\S]*')}$`)
}
