import { createHash } from 'node:crypto'

/** A Lua script that Redis knows by its hash. */
export interface RedisScript {
  readonly text: string
  readonly sha1: string
}

export function createScript(text: string): RedisScript {
  return { text, sha1: createHash('sha1').update(text).digest('hex') }
}

/** Sends one command. */
export type SendCommand = (command: string[]) => Promise<unknown>

/** Sends the hash of a script, and the script itself if Redis does not know it: Redis forgets scripts when it restarts. */
export async function runScript(
  send: SendCommand,
  { text, sha1 }: RedisScript,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  const rest = [String(keys.length), ...keys, ...args]
  try {
    return await send(['EVALSHA', sha1, ...rest])
  } catch (error) {
    if (!(error as Error).message.startsWith('NOSCRIPT')) throw error
    return send(['EVAL', text, ...rest])
  }
}
