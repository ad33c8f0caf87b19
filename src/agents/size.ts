import { Problem } from '../contract/problem.ts'

/** A client can put back every agent that it reads: an agent fits the body of a request (1 MiB), even with every quote
 * and line end escaped. Only an agent with a hundred thousand control characters, six bytes each in JSON, does not. */
export const MAX_AGENT_BYTES = 512 * 1024

/** How much values count towards the size of an agent: text as it is, everything else as JSON. */
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
