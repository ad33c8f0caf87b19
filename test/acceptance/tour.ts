import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Process } from '../support/processes.ts'
import { until } from '../support/until.ts'
import { commandsOf, type DevPlace } from './dev-process.ts'

interface Step {
  command: string
  /** The output in the document. `…` stands for any text. */
  expected: string
}

const ROOT = join(import.meta.dirname, '../..')
const SEPARATOR = '=== next step ==='

export interface Tour {
  file: string
  /** How many steps it has. */
  count: number
  /** What the output must contain: a tour of other steps would not. */
  topics: readonly string[]
}

/** Of these, the README comes first: it names the revision of the demo agent after the start. */
export const TOURS: readonly Tour[] = [
  {
    file: 'README.md',
    count: 9,
    topics: ['"status":"draft"', 'revision_stale', 'greater_than_equal', '"state":"proposing"'],
  },
  {
    file: 'docs/tour.md',
    count: 15,
    topics: ['revision_stale', 'restored', 'secrets_read', '"current":false', 'agent.updated'],
  },
]

/** Runs the commands of a document, and compares what they print with what it says. */
export async function takeTour(
  { file, count, topics }: Tour,
  running: Process,
  place: DevPlace,
): Promise<void> {
  const { setUp } = commandsOf(running)
  const all = stepsOf(readFileSync(join(ROOT, file), 'utf8'))
  const documented = all.find(({ command }) => command.startsWith('export TOKEN='))
  assert.equal(documented?.command.split('\n').at(-1), setUp.split('\n').at(-1))
  const steps = all.filter(({ command }) => !/^(npm|export TOKEN=)/.test(command))
  assert.equal(steps.length, count)
  const outputs = await runSteps(setUp, steps, place.file('watched'))
  for (const topic of topics) assert.ok(outputs.includes(topic), `No step prints ${topic}`)
}

/** The commands of the sh blocks, each with the block of output after it, and those of the console blocks. */
function stepsOf(text: string): Step[] {
  const steps: Step[] = []
  for (const [, kind = '', content = ''] of text.matchAll(/^```(\w+)\n(.*?)\n```$/gms)) {
    const last = steps.at(-1)
    if (kind === 'sh') steps.push({ command: content, expected: '' })
    if ((kind === 'json' || kind === 'text') && last) last.expected = content
    if (kind === 'console') {
      for (const [, command = '', expected = ''] of content.matchAll(/^\$ (.+)\n((?:(?!\$ ).*\n?)*)/gm)) {
        steps.push({ command, expected })
      }
    }
  }
  return steps
}

/** Runs all steps in one bash, which ends at the first failure, and compares what each one prints. */
async function runSteps(setUp: string, steps: Step[], watched: string): Promise<string> {
  const isWatch = ({ command }: Step) => command.endsWith('&')
  const commands = steps.map((step) =>
    isWatch(step)
      ? `${step.command.slice(0, -1)} >${watched} 2>&1 &\nuntil grep -q ^id: ${watched}; do sleep 0.1; done`
      : step.command,
  )
  const script = ['set -e', setUp, ...commands].join(`\necho '${SEPARATOR}'\n`)
  const shell = spawn('bash', ['-c', script], { cwd: ROOT, detached: true })
  try {
    let printed = ''
    shell.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
    shell.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text))
    const [code] = await once(shell, 'close')
    assert.equal(code, 0, printed)
    const outputs = printed.split(SEPARATOR).slice(2)
    for (const [index, step] of steps.entries()) {
      if (isWatch(step)) {
        const pattern = patternOf(`${step.expected}…`)
        await until('the change was watched', () => pattern.test(comparable(readFileSync(watched, 'utf8'))))
      } else assert.match(comparable(outputs[index] ?? ''), patternOf(step.expected), step.command)
    }
    return printed
  } finally {
    // A watch in the background is in the process group of the shell; without one the group is gone.
    if (steps.some(isWatch)) process.kill(-(shell.pid as number), 'SIGKILL')
  }
}

/** Without what differs from run to run, and without white space, which the documents change to break lines. */
function comparable(text: string): string {
  return text
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'UUID')
    .replaceAll(/^id: \w+-\d+-\d+$/gm, 'id: POSITION')
    .replaceAll(/\s+/g, '')
}

function patternOf(expected: string): RegExp {
  return new RegExp(
    `^${comparable(expected)
      .split('…')
      .map((part) => RegExp.escape(part))
      .join('.*')}$`,
  )
}
