import { agentToChange } from '../src/agent/change.ts'
import { changeStatement } from '../src/agent/change-statement.ts'
import { RANDOM_AGENT, startAgentBench, writeUpdates } from './agents.ts'
import { type BenchOptions, contest } from './contest.ts'
import { toScript } from './statement.ts'

/** At least this share of the smallest statement: the console's own statements, and the console. */
const STATEMENTS_FLOOR = 0.8
const CONSOLE_FLOOR = 0.45

/** A random id would belong to no partition. */
const AUDIT_ID =
  '(left(first_id_at(clock_timestamp())::text, 14) || substr(gen_random_uuid()::text, 15))::uuid'

const RANDOM_VALUE = '\\set r random(1, 1000000000)'

/** The console puts a whole agent back with one field changed. Its own statements for that, and the smallest statement
 * that writes the same four rows without comparing anything, run on the bare engine. */
export async function benchUpdate(options: BenchOptions): Promise<void> {
  const bench = await startAgentBench()
  try {
    const script = await writeUpdates(bench.folder)
    await contest(
      'update',
      [
        ...bench.consoles(script),
        bench.pgbench('statements', STATEMENTS),
        bench.pgbench('smallest statement', SMALLEST),
      ],
      [
        { of: 'statements', against: 'smallest statement', shareAtLeast: STATEMENTS_FLOOR },
        { of: 'console', against: 'smallest statement', shareAtLeast: CONSOLE_FLOOR },
      ],
      options,
    )
  } finally {
    await bench.close()
  }
}

/** The agent is read, then written on condition of the revision that was read. */
const STATEMENTS = (() => {
  const caller = {
    teamId: 'team',
    userId: 'user',
    requestId: 'bench',
    name: null,
    clientId: null,
    via: 'api' as const,
    permissions: new Set<string>(),
  }
  const record = {
    caller,
    id: 'agent',
    revision: 2,
    changedAt: 1_794_700_001,
    auditId: 'audit event',
    action: 'updated' as const,
    fields: ['purpose'],
    before: { purpose: 'billing' },
  }
  const columns = { purpose: 'new purpose', bytes: 1_500 }
  const change = changeStatement(record, columns, { bytes: 1_500, setVersion: 0 })
  const ids = { team: RANDOM_AGENT.team, agent: RANDOM_AGENT.id }
  const read = toScript(agentToChange('team', 'agent', undefined), ids)
  const write = toScript(change, {
    ...ids,
    2: '(:revision + 1)',
    user: RANDOM_AGENT.user,
    purpose: `'{purpose}'`,
    'agent:2': 'gen_random_uuid()::text',
    'audit event': AUDIT_ID,
    1500: ':bytes',
    0: ':set_version',
    'new purpose': ':r::text',
  })
  return [RANDOM_AGENT.set, RANDOM_VALUE, `${read} \\gset`, `${write};`].join('\n')
})()

const SMALLEST = `
${RANDOM_AGENT.set}
${RANDOM_VALUE}
WITH written AS (
  UPDATE agents SET revision = revision + 1, updated_at = 1794700001, purpose = :r::text
  WHERE team_id = ${RANDOM_AGENT.team} AND id = ${RANDOM_AGENT.id}
  RETURNING *
), revised AS (
  INSERT INTO agent_revisions (team_id, agent_id, revision, changed_at, changed_by, action, fields, before)
  SELECT team_id, id, revision, 1794700001, ${RANDOM_AGENT.user}, 'updated', '{purpose}', '{"purpose": "billing"}' FROM written
), announced AS (
  INSERT INTO outbox (team_id, aggregateid, revision, id, type, payload)
  SELECT team_id, id, revision, gen_random_uuid()::text, 'updated', '{"fields": ["purpose"]}' FROM written
), audited AS (
  INSERT INTO audit_events (team_id, id, at, user_id, action, agent_id, request_id, detail)
  SELECT team_id, ${AUDIT_ID}, 1794700001, ${RANDOM_AGENT.user}, 'agent_updated', id, 'bench', '{"fields": ["purpose"]}'
  FROM written
)
SELECT * FROM written;`
