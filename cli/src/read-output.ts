import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** Runs a program and returns what it prints. It may ask the user on the terminal. */
export async function readOutput(command: string, args: string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['inherit', 'pipe', 'inherit'] })
  const [printed, [code]] = await Promise.all([
    text(child.stdout),
    once(child, 'close') as Promise<[number | null]>,
  ])
  // Not with its output, which may be a secret.
  if (code !== 0) throw new Error(`ended with ${code}`)
  return printed
}
