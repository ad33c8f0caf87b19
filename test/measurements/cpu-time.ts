import { readdirSync, readFileSync } from 'node:fs'
import { Client } from 'pg'

export interface CpuTime {
  consoleMs: number
  databaseMs: number
}

export interface CpuClock {
  /** Finds the connections of the console, which closes those that it does not use. */
  refresh: () => Promise<void>
  /** The processor time of the console, and of its connections in PostgreSQL, since they began. */
  read: () => CpuTime
  close: () => Promise<void>
}

/** Reads the processor time of a console and of its connections to a database on this machine. */
export async function createCpuClock(consolePid: number, databaseUrl: string): Promise<CpuClock> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  /** The time of each, as it was read last: a connection that has ended keeps its time. */
  let backends = new Map<number, number>()
  return {
    refresh: async () => {
      const { rows } = await client.query<{ pid: number }>(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'agent-console'",
      )
      backends = new Map(rows.map(({ pid }) => [pid, 0]))
    },
    read: () => {
      for (const [pid, lastMs] of backends) backends.set(pid, readMs(pid) ?? lastMs)
      const databaseMs = [...backends.values()].reduce((sum, ms) => sum + ms, 0)
      return { consoleMs: readMs(consolePid) ?? 0, databaseMs }
    },
    close: () => client.end(),
  }
}

/** Of all threads of a process; undefined if it has ended. The first number of `schedstat` is the time on a processor, in nanoseconds. */
function readMs(pid: number): number | undefined {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
      const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
      return sum + Number(nanoseconds) / 1e6
    }, 0)
  } catch {
    return undefined
  }
}
