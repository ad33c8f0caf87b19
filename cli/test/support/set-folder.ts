import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Console, type ManagedAgent } from '@agent-console/sdk'
import { closeAfter } from '../../../test/support/close-after.ts'
import type { Person, TestConsole } from '../../../test/support/console.ts'
import type { Plan, PlanItem } from '../../src/config-as-code/plan-types.ts'
import { createSetClient } from '../../src/config-as-code/set-client.ts'
import { type Ran, runCli, type Surroundings } from './cli.ts'

export interface PlanData extends Pick<Plan, 'set' | 'url'> {
  agents: PlanItem[]
  unchanged: number
  without_file: string[]
}

/** A folder with the files of a configuration set, and a person that applies them. */
export interface SetFolder {
  folder: string
  set: string
  console: Console
  path: (file: string) => string
  write: (files: Record<string, string | object>) => Promise<void>
  remove: (file: string) => Promise<void>
  run: (argv: string[], more?: Surroundings) => Promise<Ran>
  /** Runs a command in JSON, which must end with the code. */
  json: <T>(argv: string[], code?: number, more?: Surroundings) => Promise<T>
  plan: (argv?: string[], code?: number) => Promise<PlanData>
  members: () => Promise<Map<string, ManagedAgent>>
}

/** The document of an agent, as JSON, which is YAML too. */
export const document = (spec: object, more: object = {}): object => ({
  ...{ ...more, spec: { agent_name: 'Helper', model_name: 'gpt-5.4', ...spec } },
})

export async function useSetFolder(
  running: Pick<TestConsole, 'url'>,
  { token }: Pick<Person, 'token'>,
  { set = `set-${randomUUID().slice(0, 8)}`, env = {} }: { set?: string; env?: Record<string, string> } = {},
): Promise<SetFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'cli-set-'))
  closeAfter(() => rm(folder, { recursive: true, force: true }))
  const path = (file: string) => join(folder, file)
  const console = new Console({ baseUrl: running.url, token })
  const write: SetFolder['write'] = async (files) => {
    for (const [file, content] of Object.entries(files)) {
      await mkdir(dirname(path(file)), { recursive: true })
      await writeFile(path(file), typeof content === 'string' ? content : JSON.stringify(content))
    }
  }
  await write({ 'agent-console.yaml': `set: ${set}\nurl: ${running.url}\nfiles: [agents/**/*.yaml]\n` })
  const run: SetFolder['run'] = (argv, more = {}) =>
    runCli(argv, {
      cwd: folder,
      ...more,
      env: { XDG_CONFIG_HOME: folder, AGENT_CONSOLE_TOKEN: token, ...env, ...more.env },
    })
  const json: SetFolder['json'] = async (argv, code = 0, more = {}) => {
    const ran = await run([...argv, '-o', 'json'], more)
    assert.equal(ran.code, code, `${argv.join(' ')}: ${ran.stderr}${ran.stdout}`)
    return JSON.parse(ran.stdout)
  }
  return {
    ...{ folder, set, console, path, write, run, json },
    remove: (file) => rm(path(file)),
    plan: (argv = [], code = 0) => json<PlanData>(['plan', ...argv], code),
    members: () => createSetClient(console, set).members(),
  }
}
