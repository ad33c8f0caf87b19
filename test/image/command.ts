import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

export interface Output {
  code: number
  stdout: string
  stderr: string
}

const running = new Set<ChildProcess>()
const interrupted = new Set<ChildProcess>()

/** Ends every command in flight, so that what it made can be removed. Its caller never goes on. */
export async function endCommands(): Promise<void> {
  const closed = [...running].map((child) => once(child, 'close'))
  for (const child of running) {
    interrupted.add(child)
    child.kill('SIGTERM')
  }
  await Promise.all(closed)
}

/** Runs a command to its end, whatever its exit code. */
export async function attempt(command: string, ...args: string[]): Promise<Output> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  child.once('close', () => running.delete(child))
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const [code] = (await once(child, 'close')) as [number | null]
  if (interrupted.has(child)) await new Promise(() => {})
  return { code: code ?? -1, stdout: stdout.trim(), stderr: stderr.trim() }
}

/** Runs a command that must exit with 0, and returns what it printed. */
export async function run(command: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await attempt(command, ...args)
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} exited with ${code}:\n${stdout}\n${stderr}`)
  return stdout
}

export async function isInstalled(command: string, ...args: string[]): Promise<boolean> {
  return attempt(command, ...args).then(
    ({ code }) => code === 0,
    () => false,
  )
}
