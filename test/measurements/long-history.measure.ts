import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { quantile, SLACK, timed } from '../proofs/timing.ts'
import { COLLECTION, createAgent, putAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'

const REVISIONS = Number(process.env['REVISIONS'] ?? 10_000)

describe('a long history', async () => {
  const running = await useConsole()
  const person = await running.person()

  const page = (id: string) => async () => {
    const reply = await running.request('GET', `${COLLECTION}/${id}/revisions?limit=10`, {
      token: person.token,
    })
    assert.equal(reply.body.results.length, 10)
  }

  it(`of ${REVISIONS} revisions shows its newest page as quickly as one of ten`, async (t) => {
    const short = (await createAgent(running, person)).id
    for (let n = 2; n <= 10; n++) await putAgent(running, person, short, { purpose: String(n) })
    const long = (await createAgent(running, person)).id
    // Made as the console makes them, but in one go: ten thousand requests would prove nothing more.
    await running.database.query(
      `WITH revised AS (
         INSERT INTO agent_revisions (team_id, agent_id, revision, changed_at, changed_by, action, fields, before)
         SELECT $1, $2, n, 1794700000, $3, 'updated', '{purpose}', json_build_object('purpose', n::text)
         FROM generate_series(2, $4::int) n
       ) UPDATE agents SET revision = $4 WHERE team_id = $1 AND id = $2`,
      [person.team, long, person.user, REVISIONS],
    )
    await running.database.query('VACUUM ANALYZE agent_revisions')
    await timed(50, page(short))
    await timed(50, page(long))
    const times: Record<'short' | 'long', number[]> = { short: [], long: [] }
    for (let round = 0; round < 100; round++) {
      times.short.push(...(await timed(1, page(short))))
      times.long.push(...(await timed(1, page(long))))
    }
    const [shortMs, longMs] = [quantile(times.short, 0.5), quantile(times.long, 0.5)]
    t.diagnostic(
      `p50: ${shortMs.toFixed(2)} ms with ten revisions, ${longMs.toFixed(2)} ms with ${REVISIONS}`,
    )
    assert.ok(longMs < shortMs * 1.3 * SLACK, `${longMs / shortMs} times`)
  })

  it('of large values is read back to its beginning as quickly as one of small ones', async (t) => {
    const ids = []
    for (const digests of [1, 2_000]) {
      const { id } = await createAgent(running, person, { agent_system_prompt: 'the first' })
      // Digests, because repeated text would be compressed to nothing.
      await running.database.query(
        `WITH revised AS (
           INSERT INTO agent_revisions (team_id, agent_id, revision, changed_at, changed_by, action, fields, before)
           SELECT $1, $2, n, 1794700000, $3, 'updated', '{agent_system_prompt}', json_build_object(
             'agent_system_prompt',
             CASE n WHEN 2 THEN 'the first' ELSE (
               SELECT string_agg(md5(n || ' ' || i), '') FROM generate_series(1, $4::int) i
             ) END)
           FROM generate_series(2, 500) n
         ) UPDATE agents SET revision = 500, agent_system_prompt = 'the last' WHERE team_id = $1 AND id = $2`,
        [person.team, id, person.user, digests],
      )
      ids.push(id)
    }
    const first =
      (id = '') =>
      async () => {
        const { body } = await running.request('GET', `${COLLECTION}/${id}?revision=1`, {
          token: person.token,
        })
        assert.equal(body.agent_system_prompt, 'the first')
      }
    const [small, large] = [await timed(30, first(ids[0])), await timed(30, first(ids[1]))]
    const [smallMs, largeMs] = [quantile(small, 0.5), quantile(large, 0.5)]
    t.diagnostic(
      `p50: ${smallMs.toFixed(2)} ms behind small values, ${largeMs.toFixed(2)} ms behind large ones`,
    )
    assert.ok(largeMs < smallMs * 2 * SLACK, `${largeMs / smallMs} times`)
  })
})
