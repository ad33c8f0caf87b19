import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import type { Readable } from 'node:stream'

/** One line of an input. Undefined if it ends before, which is Ctrl-D on a terminal. */
export async function readLine(input: Readable, signal: AbortSignal): Promise<string | undefined> {
  const lines = createInterface({ input, terminal: false })
  try {
    const [line] = await Promise.race([
      once(lines, 'line', { signal }) as Promise<[string]>,
      once(lines, 'close').then((): [undefined] => [undefined]),
    ])
    return line
  } finally {
    lines.close()
  }
}
