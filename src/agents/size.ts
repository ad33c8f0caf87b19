import { Problem } from '../contract/problem.ts'

/** Half of the limit for request bodies, so that a client can send back every agent that it reads, even with every
 * quote and line break escaped. Exception: an agent with about 100,000 control characters, which take six bytes
 * each in JSON. */
export const MAX_AGENT_BYTES = 512 * 1024

/** The size of values in bytes: strings as UTF-8, everything else as JSON. */
export function bytesOf(values: readonly unknown[]): number {
  let bytes = 0
  for (const value of values) {
    if (value !== null && value !== undefined) {
      bytes += Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))
    }
  }
  return bytes
}

export function refuseTooLarge(bytes: number): void {
  if (bytes > MAX_AGENT_BYTES) throw new Problem('agent_too_large')
}
