import { Client } from 'pg'
import { unnamed } from '../../src/platform/postgres/sql.ts'

/** A process of PostgreSQL that holds a lock for which the migration waits. */
interface Blocker {
  pid: number
  application: string
  state: string | null
  seconds: number | null
  query: string | null
}

export interface BlockerWatch {
  /** What blocked the migration when it was last seen to wait. */
  describe: () => string
  stop: () => Promise<void>
}

/** Several times within the shortest lock timeout. */
const POLL_MS = 20

/** A wait that is longer is reported while it lasts. */
const LONG_WAIT_MS = 2_000

/** Observes on a connection of its own what blocks a process of PostgreSQL. */
export async function watchBlockers(
  databaseUrl: string,
  pid: number,
  log: (line: string) => void,
): Promise<BlockerWatch> {
  const client = new Client({ connectionString: databaseUrl, application_name: 'agent-console-migrate' })
  client.on('error', () => {})
  await client.connect()
  let last: Blocker[] = []
  let waitsSince: number | undefined
  let isReported = false

  const poll = async () => {
    const { rows } = await client.query<Blocker>(unnamed`
      SELECT pid, application_name AS application, state, query,
        extract(epoch FROM clock_timestamp() - coalesce(xact_start, backend_start))::int AS seconds
      FROM pg_stat_activity
      WHERE pid = ANY (pg_blocking_pids(${pid}))`)
    if (rows.length === 0) {
      waitsSince = undefined
      isReported = false
      return
    }
    last = rows
    waitsSince ??= performance.now()
    if (isReported || performance.now() - waitsSince < LONG_WAIT_MS) return
    isReported = true
    log(`Waiting for a lock. ${describeBlockers(last)}`)
  }
  let polling = Promise.resolve()
  const timer = setInterval(() => {
    // A failed poll only means that less is known.
    polling = polling.then(poll).catch(() => {})
  }, POLL_MS)

  return {
    describe: () => describeBlockers(last),
    stop: async () => {
      clearInterval(timer)
      await polling
      await client.end()
    },
  }
}

function describeBlockers(blockers: Blocker[]): string {
  if (blockers.length === 0) return 'PostgreSQL does not tell what holds it.'
  return blockers
    .map(({ pid, application, state, seconds, query }) => {
      const who = [`process ${pid}`, application && `"${application}"`].filter(Boolean).join(' ')
      const what = query ? `: ${withoutValues(query)}` : ''
      return `It is held by ${who}, ${state ?? 'in an unknown state'}, transaction open for ${seconds ?? '?'} s${what}`
    })
    .join('\n')
}

const MAX_LENGTH = 100

/** The start of a statement without literal values, which may be secrets. A quote that does not end hides the rest. */
export function withoutValues(query: string): string {
  return query
    .replaceAll(/\$(\w*)\$.*?(?:\$\1\$|$)/gs, '?')
    .replaceAll(/'(?:[^'\\]|\\.|'')*(?:'|$)/gs, '?')
    .replaceAll(/(?<![\w$])\d[\d.]*(?:e[+-]?\d+)?\b/gi, '?')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_LENGTH)
}
