import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { seed } from '../../scripts/seed.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

describe('a generated fleet', () => {
  let databases: TestDatabase[]

  const indexesOf = ({ query }: TestDatabase) =>
    query<{ indexdef: string }>(
      `SELECT indexdef FROM pg_indexes WHERE tablename IN ('agents', 'agent_revisions') ORDER BY indexname`,
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
      /agents already/,
    )
  })
})
