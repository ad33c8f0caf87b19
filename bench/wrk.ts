import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Load {
  url: string
  headers?: Record<string, string>
  /** A Lua script for requests that differ from each other. */
  script?: string
}

export const CONNECTIONS = 32

/** Requests a second that a server answers, all of them well. */
export async function measure({ url, headers = {}, script }: Load, seconds: number): Promise<number> {
  const { stdout } = await run('wrk', [
    ...['-t', '1', '-c', String(CONNECTIONS), '-d', `${seconds}s`],
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    ...(script ? ['-s', script] : []),
    url,
  ]).catch((error: Error & { code?: string }) => {
    if (error.code === 'ENOENT') throw new Error('wrk is not installed: apt-get install wrk')
    throw error
  })
  // A server that answers errors quickly has not won anything.
  const failed = /Non-2xx or 3xx responses: (\d+)|Socket errors: .*/.exec(stdout)
  if (failed) throw new Error(`${url}: ${failed[0]}`)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] as number
}
