import { Client } from 'pg'
import { cpuMicros } from './cpu.ts'

const INSERTS = 50_000

interface PolicyMeter {
  /** The CPU time that the policy of the audit log adds to an insert. */
  microsPerRecord: () => Promise<number>
  close: () => Promise<void>
}

/** Inserts into two tables like the audit log, of which one has its policy. They have no indexes and are not logged, because the policy is
 * a small part of an insert. */
export async function createPolicyMeter(databaseUrl: string): Promise<PolicyMeter> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ pid: number; check: string }>(
    `SELECT pg_backend_pid() AS pid, with_check AS check FROM pg_policies WHERE tablename = 'audit_events' AND cmd = 'INSERT'`,
  )
  const [{ pid, check } = { pid: 0, check: '' }] = rows
  for (const table of ['audit_with_policy', 'audit_without_policy']) {
    await client.query(`
      CREATE TABLE ${table} (LIKE audit_events) PARTITION BY RANGE (id);
      CREATE UNLOGGED TABLE ${table}_all PARTITION OF ${table} DEFAULT;
      GRANT INSERT ON ${table} TO pg_monitor`)
  }
  await client.query(`ALTER TABLE audit_with_policy ENABLE ROW LEVEL SECURITY;
    CREATE POLICY of_the_audit_log ON audit_with_policy FOR INSERT WITH CHECK (${check})`)

  const microsOf = async (table: string) => {
    const before = cpuMicros(pid)
    // A policy does not apply to the owner of the table: any other role inserts.
    await client.query(`
      BEGIN;
      SET LOCAL ROLE pg_monitor;
      DO $$ BEGIN
        FOR n IN 1..${INSERTS} LOOP
          INSERT INTO ${table} VALUES (gen_random_uuid(), 'ffffffff-0000-7000-8000-000000000000', extract(epoch FROM now()),
            gen_random_uuid(), 'agent_updated', NULL, 'request', '{}', 'api', NULL);
        END LOOP;
      END $$;
      ROLLBACK`)
    return cpuMicros(pid) - before
  }
  return {
    microsPerRecord: async () =>
      ((await microsOf('audit_with_policy')) - (await microsOf('audit_without_policy'))) / INSERTS,
    close: () => client.end(),
  }
}
