import { Client } from 'pg'

/** Observes how long the console waits for locks on tables. `stop` returns the longest wait in milliseconds. */
export async function watchLockWaits(databaseUrl: string): Promise<{ stop: () => Promise<number> }> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  let longestMs = 0
  let isStopped = false
  const watch = async () => {
    while (!isStopped) {
      const { rows } = await client.query<{ ms: number }>(LONGEST_WAIT)
      longestMs = Math.max(longestMs, rows[0]?.ms ?? 0)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const watching = watch()
  return {
    stop: async () => {
      isStopped = true
      await watching
      await client.end()
      return longestMs
    },
  }
}

const LONGEST_WAIT = `
SELECT coalesce(max(extract(epoch FROM clock_timestamp() - waitstart) * 1000), 0)::float8 AS ms
FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE NOT granted AND locktype = 'relation' AND datname = current_database() AND application_name = 'agent-console'`
