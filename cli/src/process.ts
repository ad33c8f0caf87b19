import { once } from 'node:events'
import { homedir } from 'node:os'
import { addAbortSignal } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { isatty } from 'node:tty'
import { EXIT } from './failure.ts'
import type { Io, Output } from './io.ts'
import { useProxy } from './proxy.ts'
import { run } from './run.ts'
import { windowsLine } from './windows-line.ts'

/** Runs the command line with the terminal, the environment and the signals of this process. */
export async function runProcess(argv: readonly string[]): Promise<void> {
  const interrupted = new AbortController()
  const interrupt = () => {
    // The second one does not wait for what the first one ends.
    if (interrupted.signal.aborted) process.exit(EXIT.interrupted)
    interrupted.abort(new DOMException('Interrupted', 'AbortError'))
  }
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  let endsWithReader = false
  let outputCode: number = EXIT.done
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    // `agent-console … | head` closes the pipe early, which is no error.
    if (code !== 'EPIPE') outputCode = EXIT.error
    if (endsWithReader) process.exit(outputCode)
  })
  process.stderr.on('error', () => {})
  // The last write may fail after the command has ended.
  process.on('exit', (code) => {
    process.exitCode = code || outputCode
  })

  const io = createIo(interrupted.signal, () => {
    endsWithReader = true
  })
  await useProxy(io)
  process.exitCode = await run(argv, io)
  process.off('SIGINT', interrupt)
  process.off('SIGTERM', interrupt)
}

function createIo(signal: AbortSignal, endWithReader: () => void): Io {
  const { stdout, stderr, env, platform } = process
  return {
    env,
    platform,
    home: homedir(),
    cwd: process.cwd(),
    stdin: {
      isTerminal: isatty(0),
      readAll,
      chunks: () => addAbortSignal(signal, process.stdin),
      readLine: async () => {
        const module = await import('./read-line.ts')
        return module.readLine(process.stdin, signal)
      },
    },
    stdout: outputOf(stdout, isatty(1)),
    stderr: outputOf(stderr, isatty(2)),
    signal,
    now: Date.now,
    sleep: (ms) => delay(ms, undefined, { signal }),
    runInTerminal: async (command, args) => {
      const { spawn } = await import('node:child_process')
      // Editors of Windows are often scripts, which only a shell can start.
      const child =
        platform === 'win32'
          ? spawn(windowsLine([command, ...args]), { stdio: 'inherit', shell: true })
          : spawn(command, args, { stdio: 'inherit' })
      const [code] = (await once(child, 'exit')) as [number | null]
      return code ?? EXIT.error
    },
    readOutput: async (command, args) => {
      const module = await import('./read-output.ts')
      return module.readOutput(command, args)
    },
    start: async (command, args) => {
      const { spawn } = await import('node:child_process')
      const child = spawn(command, args, { stdio: 'ignore', detached: true })
      await once(child, 'spawn')
      child.unref()
    },
    endWithReader,
  }
}

const DEFAULT_COLUMNS = 80

export const outputOf = (
  stream: Pick<NodeJS.WriteStream, 'columns' | 'write'>,
  isTerminal: boolean,
): Output => ({
  isTerminal,
  get columns() {
    // A terminal that does not know its width says 0.
    return isTerminal ? stream.columns || DEFAULT_COLUMNS : undefined
  },
  write: (chunk) => void stream.write(chunk),
})

async function readAll(): Promise<string> {
  const { text } = await import('node:stream/consumers')
  return text(process.stdin)
}
