import { randomUUID } from 'node:crypto'
import { createClient } from '@redis/client'
import { closeAfter } from './close-after.ts'

const SERVER_URL = process.env['TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379'

/** Keys of one's own, so that tests on the same server do not see each other. */
export interface TestRedis {
  prefix: string
  send: (command: string[]) => Promise<unknown>
  /** The keys of the test, without their prefix. */
  keys: () => Promise<string[]>
  /** What a console needs to count there. */
  environment: Record<string, string>
}

/** For the tests of the calling file or suite: the keys are deleted after the last of them. */
export async function useRedis(): Promise<TestRedis> {
  const prefix = `test-${randomUUID()}:`
  const client = createClient({ url: SERVER_URL })
  await client.connect()
  const keys = () => client.keys(`${prefix}*`)
  closeAfter(async () => {
    const left = await keys()
    if (left.length > 0) await client.del(left)
    client.destroy()
  })
  return {
    prefix,
    send: (command) => client.sendCommand(command),
    keys: async () => (await keys()).map((key) => key.slice(prefix.length)),
    environment: {
      REDIS_URL: SERVER_URL,
      REDIS_PREFIX: prefix,
    },
  }
}
