import type { Io } from './io.ts'

/** Asks on the terminal. Only `yes` is consent. */
export async function isConfirmed({ stdin, stderr }: Io, question: string): Promise<boolean> {
  stderr.write(`${question}Type yes to go on: `)
  let line: string | undefined
  try {
    line = await stdin.readLine()
  } finally {
    // Ctrl-C and Ctrl-D leave the cursor behind the question.
    if (line === undefined) stderr.write('\n')
  }
  return line?.trim() === 'yes'
}
