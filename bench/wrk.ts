import { runTool } from './run-tool.ts'

export interface Target {
  url: string
  headers?: Record<string, string>
  /** A Lua script for requests that differ from each other. */
  script?: string
}

/** Requests that were served, and the time that took. */
export interface Load {
  requests: number
  seconds: number
}

export const CONNECTIONS = 32

/** Sends requests for some seconds. Every one must succeed. */
export async function sendRequests({ url, headers = {}, script }: Target, seconds: number): Promise<Load> {
  const output = await runTool('wrk', 'wrk', [
    ...['-t', '1', '-c', String(CONNECTIONS), '-d', `${seconds}s`],
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    ...(script ? ['-s', script] : []),
    url,
  ])
  // A server that quickly returns errors has not won.
  const failed = /Non-2xx or 3xx responses: (\d+)|Socket errors: .*/.exec(output)
  if (failed) throw new Error(`${url}: ${failed[0]}`)
  const requests = Number(/(\d+) requests in/.exec(output)?.[1])
  return { requests, seconds: requests / Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]) }
}
