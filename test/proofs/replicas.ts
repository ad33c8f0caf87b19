import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '../../dev/free-port.ts'
import { answers, type Process, startProcess } from '../support/processes.ts'
import { until } from '../support/until.ts'

/** Whether a replica is one that an upgrade ends, or one that it starts. */
export type Version = 'old' | 'new'

export interface Replica {
  version: Version
  url: string
}

/** Replicas behind a load balancer, which sends requests to those that report ready. Each runs the code of today: what
 * differs is whether it began before or after the migration. */
export interface Replicas {
  /** Starts a replica, and waits until it gets requests. */
  start: (version: Version) => Promise<void>
  /** Sends SIGTERM to the replica of a version, and waits until it has ended. */
  stop: (version: Version) => Promise<void>
  /** The replica that gets the next request. */
  next: () => Replica
  close: () => Promise<void>
}

interface Running extends Replica {
  process: Process
  isReady: boolean
}

/** As often as the readiness probe of a load balancer must be within SHUTDOWN_DELAY_MS. */
const POLL_MS = 100

export function createReplicas(environment: Record<string, string>): Replicas {
  const all = new Set<Running>()
  let turn = 0
  const poll = async (replica: Running) => {
    while (all.has(replica)) {
      const response = await fetch(`${replica.url}/health/ready`).catch(() => undefined)
      await response?.body?.cancel()
      replica.isReady = response?.ok === true
      await sleep(POLL_MS)
    }
  }
  return {
    start: async (version) => {
      const [port, metricsPort] = await freePorts(2)
      const url = `http://127.0.0.1:${port}`
      const process = startProcess('src/main.ts', {
        ...environment,
        PORT: String(port),
        METRICS_PORT: String(metricsPort),
      })
      const replica: Running = { version, url, process, isReady: false }
      all.add(replica)
      await answers(`${url}/health/live`, process)
      void poll(replica)
      await until(`the ${version} version is ready`, () => replica.isReady)
    },
    stop: async (version) => {
      for (const replica of [...all].filter((each) => each.version === version)) {
        replica.process.signal('SIGTERM')
        assert.equal(await replica.process.ended, 0, replica.process.output())
        all.delete(replica)
      }
    },
    next: () => {
      const ready = [...all].filter(({ isReady }) => isReady)
      const replica = ready[turn++ % ready.length]
      if (!replica) throw new Error('No replica is ready')
      return replica
    },
    close: async () => {
      for (const { process } of all) process.signal('SIGKILL')
      await Promise.all([...all].map(({ process }) => process.ended))
      all.clear()
    },
  }
}
