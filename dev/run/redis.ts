import { once } from 'node:events'
import { connect } from 'node:net'

export interface DevRedis {
  /** Undefined if there is none: the console then counts request budgets by itself. */
  url: string | undefined
  where: string
}

const LOCAL = { host: '127.0.0.1', port: 6379 }
const REPLY_TIMEOUT_MS = 2_000

/** The Redis of REDIS_URL, else that of this machine, else none: the console works without. */
export async function findRedis(named: string | undefined): Promise<DevRedis> {
  if (named) return { url: named, where: 'Redis of REDIS_URL' }
  if (!(await responds())) return { url: undefined, where: 'no Redis, counts request budgets by itself' }
  return { url: `redis://${LOCAL.host}:${LOCAL.port}`, where: `Redis on ${LOCAL.host}:${LOCAL.port}` }
}

/** One that wants a password does not count. */
async function responds(): Promise<boolean> {
  const socket = connect(LOCAL)
  try {
    socket.write('PING\r\n')
    const [text] = await once(socket, 'data', { signal: AbortSignal.timeout(REPLY_TIMEOUT_MS) })
    return String(text).startsWith('+PONG')
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
