import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '../../dev/free-port.ts'

export interface Haproxy {
  port: number
  kill: () => Promise<void>
}

const CHECK_SECONDS = 1
const CHECKS_TO_FALL = 2

/** Leads to the primary of a Patroni cluster. */
export async function startHaproxy(addresses: string[], folder: string): Promise<Haproxy> {
  const [port = 0] = await freePorts(1)
  const file = join(folder, 'haproxy.cfg')
  await writeFile(file, configuration(addresses, port))
  const child = spawn('haproxy', ['-db', '-f', file], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: `${process.env['PATH']}:/usr/sbin` },
    detached: true,
  })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-4_000)))
  const closed = once(child, 'close')
  // It takes every server for a primary until the first checks have failed.
  const settled = sleep((CHECKS_TO_FALL + 2) * CHECK_SECONDS * 1_000)
  const ended = closed.then(() => {
    throw new Error(`HAProxy ended (apt-get install haproxy):\n${log}`)
  })
  await Promise.race([settled, ended])
  ended.catch(() => {})
  return {
    port,
    kill: async () => {
      child.kill('SIGKILL')
      await closed
    },
  }
}

function configuration(addresses: string[], port: number): string {
  const servers = addresses.map((address, n) => `    server node-${n + 1} ${address}:5432 check port 8008`)
  return `global
    maxconn 1000
defaults
    mode tcp
    timeout connect 1s
    timeout client 30m
    timeout server 30m
    timeout check 1s
listen postgres
    bind 127.0.0.1:${port}
    option httpchk OPTIONS /primary
    http-check expect status 200
    default-server inter ${CHECK_SECONDS}s fall ${CHECKS_TO_FALL} rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`
}
