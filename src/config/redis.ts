import type { RedisSettings } from '../platform/redis/redis.ts'
import { parseUrl } from '../platform/settings/parsers.ts'
import type { Reader } from '../platform/settings/reader.ts'

export function readRedis({ read, readOptional }: Reader): RedisSettings | undefined {
  const url = readOptional('REDIS_URL', (text) => parseUrl(text, ['redis:', 'rediss:']))
  const prefix = read('REDIS_PREFIX', parseRedisPrefix, '')
  return url === undefined ? undefined : { url, prefix, maxWaitMs: 20 }
}

/** Braces would decide which node of a cluster has the key. */
function parseRedisPrefix(text: string): string {
  if (!/^[\w:.-]{1,64}$/.test(text))
    throw new Error('may only contain letters, digits, and the characters _ : . -')
  return text
}
