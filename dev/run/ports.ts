import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { DevError } from './dev-error.ts'

/** Every port that `npm run dev` listens on, by the variable that moves it. */
const DEFAULTS = {
  PORT: 8080,
  METRICS_PORT: 9464,
  ISSUER_PORT: 8081,
  EVOLUTION_PORT: 8082,
  TEAMS_PORT: 8083,
  EVALUATION_PORT: 8084,
  PROTECTION_PORT: 8085,
  RED_TEAM_PORT: 8086,
  ENVIRONMENT_PORT: 8087,
} as const

export type PortName = keyof typeof DEFAULTS
export type Ports = Record<PortName, number>
export const PORT_NAMES = Object.keys(DEFAULTS) as PortName[]

export function readPorts(environment: Record<string, string | undefined>): Ports {
  const entries = PORT_NAMES.map((name) => {
    const text = environment[name] || String(DEFAULTS[name])
    const port = Number(text)
    if (!/^\d+$/.test(text) || port < 1 || port > 65_535) {
      throw new DevError(`${name} must be a port from 1 to 65535, not ${text}.`)
    }
    return [name, port] as const
  })
  for (const [index, [name, port]] of entries.entries()) {
    const [other] = entries.slice(0, index).find(([, earlier]) => earlier === port) ?? []
    if (other) throw new DevError(`${other} and ${name} are both ${port}. Give each its own port.`)
  }
  return Object.fromEntries(entries) as Ports
}

/** Refuses, in one sentence, to start beside a program that still has one of the ports after `patienceMs`. */
export async function checkPorts(ports: Ports, host: string, patienceMs: number): Promise<void> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const [first, ...more] = await findTaken(ports, host)
    if (!first) return
    if (performance.now() >= deadline) throw portsTaken(ports, first, more)
    await delay(50)
  }
}

async function findTaken(ports: Ports, host: string): Promise<PortName[]> {
  const taken = await Promise.all(
    PORT_NAMES.map(async (name) => {
      const own = name === 'PORT' || name === 'METRICS_PORT' ? host : '127.0.0.1'
      return (await isFree(ports[name], own)) ? undefined : name
    }),
  )
  return taken.filter((name) => name !== undefined)
}

function portsTaken(ports: Ports, first: PortName, more: PortName[]): DevError {
  const taken = [first, ...more]
  const named = taken.map((name) => `${ports[name]} (${name})`)
  const others = taken.map((name) => `${name}=${Math.min(ports[name] + 1_000, 65_535)}`).join(' ')
  return new DevError(
    more.length === 0
      ? `Port ${named[0]} is in use by another program. Stop it, or choose another port: ${others} npm run dev`
      : `Ports ${named.join(', ')} are in use. Stop what uses them, or choose other ports:\n  ${others} npm run dev`,
  )
}

/** A server on all addresses does not always keep another from listening on one of them (macOS), so it connects first. */
async function isFree(port: number, host: string): Promise<boolean> {
  if (await accepts(port)) return false
  const server = createServer()
  try {
    await once(server.listen(port, host), 'listening')
    await once(server.close(), 'close')
    return true
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') return false
    throw new DevError(`Port ${port} of ${host} cannot be used: ${message}.`)
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
