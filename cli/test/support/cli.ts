import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { closeAfter } from '../../../test/support/close-after.ts'
import type { Io } from '../../src/io.ts'
import { readOutput } from '../../src/read-output.ts'
import { run } from '../../src/run.ts'

export interface Ran {
  code: number
  stdout: string
  stderr: string
}

export interface Surroundings {
  env?: Record<string, string | undefined>
  /** What standard input has. */
  stdin?: string
  readLine?: () => Promise<string | undefined>
  /** Makes all three a terminal of this width. */
  columns?: number
  signal?: AbortSignal
  platform?: NodeJS.Platform
  /** Default: a folder that does not exist. */
  cwd?: string
  sleep?: Io['sleep']
  runInTerminal?: Io['runInTerminal']
  start?: Io['start']
  onStdout?: (text: string) => void
  onStderr?: (text: string) => void
}

/** A folder for the profiles of one test. */
export async function useFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cli-test-'))
  closeAfter(() => rm(folder, { recursive: true }))
  return folder
}

/** Runs a command line in this process. */
export async function runCli(argv: readonly string[], surroundings: Surroundings = {}): Promise<Ran> {
  const ran = { code: 0, stdout: '', stderr: '' }
  const { columns, stdin = '', env = {} } = surroundings
  const isTerminal = columns !== undefined
  const refuse = () => Promise.reject(new Error('The test starts no program'))
  ran.code = await run(argv, {
    env,
    platform: surroundings.platform ?? 'linux',
    home: '/nowhere',
    cwd: surroundings.cwd ?? '/nowhere',
    stdin: {
      ...{ isTerminal, readAll: async () => stdin, readLine: surroundings.readLine ?? (async () => stdin) },
      chunks: () => Readable.from([Buffer.from(stdin)]),
    },
    stdout: {
      ...{ isTerminal, columns },
      write: (text) => {
        ran.stdout += text
        surroundings.onStdout?.(text)
      },
    },
    stderr: {
      ...{ isTerminal, columns },
      write: (text) => {
        ran.stderr += text
        surroundings.onStderr?.(text)
      },
    },
    signal: surroundings.signal ?? new AbortController().signal,
    now: Date.now,
    sleep: surroundings.sleep ?? (async () => {}),
    readOutput,
    runInTerminal: surroundings.runInTerminal ?? refuse,
    start: surroundings.start ?? refuse,
    endWithReader: () => {},
  })
  return ran
}
