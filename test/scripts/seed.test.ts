import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { Ajv } from 'ajv'
import { teamId } from '../../scripts/seed/fleet.ts'
import { seed } from '../../scripts/seed.ts'
import { AgentEvaluation } from '../../src/agent/evaluations/schema.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startConsoleProcess, startProcess } from '../support/processes.ts'

describe('a generated fleet', () => {
  let databases: TestDatabase[]

  const indexesOf = ({ query }: TestDatabase) =>
    query<{ indexdef: string }>(
      `SELECT indexdef FROM pg_indexes WHERE tablename IN ('agents', 'agent_filters', 'agent_filters_7', 'agent_revisions') ORDER BY indexname`,
    )
  const fleetOf = ({ query }: TestDatabase) =>
    query(
      `SELECT count(*)::int AS agents, md5(string_agg(agents::text, '' ORDER BY id)) AS digest FROM agents`,
    )

  before(async () => {
    databases = [await createTestDatabase(), await createTestDatabase()]
  })
  after(() => Promise.all(databases.map(({ drop }) => drop())))

  it('that was broken off leaves the database as it was: empty, with its indexes', async () => {
    const [database] = databases as [TestDatabase]
    const before = await indexesOf(database)
    const breakOff = (line: string) => {
      if (line.startsWith('revision')) throw new Error('broken off')
    }
    await assert.rejects(seed(database.url, { agents: 3_000, seed: 1 }, breakOff), /broken off/)
    assert.deepEqual(await indexesOf(database), before)
    assert.deepEqual(await fleetOf(database), [{ agents: 0, digest: null }])
  })

  it('is the same for the same seed, has all indexes, and a first revision for each agent', async () => {
    const [one, other] = databases as [TestDatabase, TestDatabase]
    const before = await indexesOf(one)
    for (const { url } of databases) await seed(url, { agents: 3_000, seed: 7 }, () => {})
    const fleet = await fleetOf(one)
    assert.equal(fleet[0]?.['agents'], 3_000)
    assert.deepEqual(await fleetOf(other), fleet)
    assert.deepEqual(await indexesOf(one), before)
    const [orphans] = await one.query<{ count: number }>(
      `SELECT count(*)::int FROM agents a WHERE NOT EXISTS (
         SELECT FROM agent_revisions r WHERE (r.team_id, r.agent_id, r.revision) = (a.team_id, a.id, a.revision))`,
    )
    assert.equal(orphans?.count, 0)
    await assert.rejects(
      seed(one.url, { agents: 1, seed: 7 }, () => {}),
      /already has agents/,
    )
  })

  it('has agents of all kinds in the largest team, of which it has every hundredth', async () => {
    const [{ query }] = databases as [TestDatabase]
    const [kinds] = await query(
      `SELECT count(*)::int AS agents, count(DISTINCT json_array_length(agent_metadata->'tags'))::int AS tag_counts,
         count(*) FILTER (WHERE behaviour_revision > 1)::int AS changed
       FROM agents WHERE team_id = $1`,
      [teamId(0)],
    )
    assert.deepEqual(kinds, { agents: 30, tag_counts: 5, changed: 6 })
  })

  it('has what its agents earned: scores since they were tested, a day since they were trusted', async () => {
    const [{ query }] = databases as [TestDatabase]
    const stages = await query(
      `SELECT trust_stage IN ('trusted', 'optimized', 'adapted') AS is_trusted, trust_stage <> 'registered' AS is_tested,
         bool_and(trusted_at IS NOT NULL AND ttt_days = round((trusted_at - created_at) / 86400.0, 2)) AS has_day,
         bool_or(trusted_at IS NOT NULL OR ttt_days IS NOT NULL) AS has_some,
         bool_and(latest_evaluation IS NOT NULL) AS has_scores, bool_or(latest_evaluation IS NOT NULL) AS has_any
       FROM agents GROUP BY 1, 2 ORDER BY 1, 2`,
    )
    const none = { has_day: false, has_some: false, has_scores: false, has_any: false }
    const scores = { has_scores: true, has_any: true }
    assert.deepEqual(stages, [
      { is_trusted: false, is_tested: false, ...none },
      { is_trusted: false, is_tested: true, ...none, ...scores },
      { is_trusted: true, is_tested: true, has_day: true, has_some: true, ...scores },
    ])
    const evaluations = await query<{ latest_evaluation: unknown }>(
      'SELECT latest_evaluation FROM agents WHERE latest_evaluation IS NOT NULL',
    )
    const validate = new Ajv({ formats: { uuid: true, int64: true } }).compile(AgentEvaluation)
    const kept = await query(
      `SELECT e.count, count(*)::int AS agents, bool_and(latest) AS has_latest, bool_and(is_score) AS are_scores
       FROM agents a CROSS JOIN LATERAL (
         SELECT count(*)::int, bool_or(evaluation_id::text = a.latest_evaluation->>'evaluation_id'
             AND overall_score = (a.latest_evaluation->>'overall_score')::float8
             AND completed_at = (a.latest_evaluation->>'completed_at')::bigint) AS latest,
           bool_and(overall_score BETWEEN 0 AND 1 AND safety_score BETWEEN 0 AND 1) AS is_score
         FROM agent_evaluations WHERE team_id = a.team_id AND agent_id = a.id) e
       WHERE latest_evaluation IS NOT NULL GROUP BY 1 ORDER BY 1`,
    )
    assert.deepEqual(
      kept.map(({ count, has_latest, are_scores }) => ({ count, has_latest, are_scores })),
      [1, 8].map((count) => ({ count, has_latest: true, are_scores: true })),
    )
    assert.equal(
      kept.reduce((sum, { agents }) => sum + Number(agents), 0),
      evaluations.length,
    )
    for (const { latest_evaluation: evaluation } of evaluations) {
      assert.ok(validate(evaluation), JSON.stringify(evaluation))
    }
  })

  it('says what to do next, in commands that work', async () => {
    const running = await startConsoleProcess({ ISSUER_GRANTS: 'on' })
    try {
      const ports = { PORT: new URL(running.url).port, ISSUER_PORT: new URL(running.issuerUrl).port }
      const environment = { DATABASE_URL: running.database.url, ...ports }
      const seeding = startProcess('scripts/seed.ts', environment, '--agents', '1000')
      assert.equal(await seeding.ended, 0, seeding.output())
      const [, next = ''] = seeding.output().split(/^Done in \d+\.\d s: 1000 agents in 10 teams\..*10:\n/m)
      const commands = next.replace(/^To read them.*\n/m, '')
      const { stdout } = await promisify(execFile)('bash', ['-c', commands])
      const { results } = JSON.parse(stdout) as { results: { team_id: string }[] }
      assert.equal(results[0]?.team_id, '00000000-0000-4000-8000-000000000000')
      const [counted] = await running.database.query<{ teams: number; largest: number }>(
        `SELECT count(DISTINCT team_id)::int AS teams,
           count(*) FILTER (WHERE team_id = '00000000-0000-4000-8000-000000000000')::int AS largest FROM agents`,
      )
      assert.deepEqual(counted, { teams: 10, largest: 10 })
    } finally {
      await running.close()
    }
  })

  it('shows its help, and reports a database without tables in a sentence', async () => {
    const help = startProcess('scripts/seed.ts', {}, '--help')
    assert.equal(await help.ended, 0)
    assert.match(help.output(), /--agents N/)
    const url = (databases[0] as TestDatabase).url.replace(/[^/]+$/, 'postgres')
    const seeding = startProcess('scripts/seed.ts', { DATABASE_URL: url })
    assert.equal(await seeding.ended, 1)
    assert.equal(seeding.output(), 'The database has no tables yet: npm run migrate\n')
  })

  it('is asked for in numbers, and a mistake is answered with a sentence', async () => {
    const [{ url }] = databases as [TestDatabase]
    for (const [options, sentence] of [
      [['--agents', 'many'], /^--agents must be a whole number from 1 to 100000000\n$/],
      [['--agents', '0'], /^--agents must be a whole number/],
      [['--seed=-1'], /^--seed must be a whole number from 0 to 4294967295\n$/],
      [['--teams', '5'], /^Unknown option '--teams'/],
    ] as const) {
      const seeding = startProcess('scripts/seed.ts', { DATABASE_URL: url }, ...options)
      assert.equal(await seeding.ended, 1)
      assert.match(seeding.output(), sentence)
    }
  })
})
