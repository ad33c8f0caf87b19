import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface Output {
  code: number
  stdout: string
  stderr: string
}

/** Runs a command to its end, whatever its exit code. */
export async function attempt(command: string, ...args: string[]): Promise<Output> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const [code] = (await once(child, 'close')) as [number | null]
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
