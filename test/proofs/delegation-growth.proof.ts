import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { updateAgent } from '../../src/agent/agents.ts'
import { deleteAgent, planDeletion, recoverAgent } from '../../src/agent/lifecycle/deletion.ts'
import { changeTrustStage } from '../../src/agent/lifecycle/lifecycle.ts'
import { listAgentDependents, readDelegation } from '../../src/features/delegation/graph.ts'
import { createAgent, putAgent } from '../support/agents.ts'
import { closeAfter } from '../support/close-after.ts'
import { type Person, type TestConsole, useConsole } from '../support/console.ts'
import { createExplainingSql } from '../support/explaining-sql.ts'
import { sized } from '../support/sized.ts'
import { quantile, timed } from '../support/timing.ts'

const DEPENDENTS = sized(10_000, 100_000)
const TIMED_UPDATES = 200

/** Pages decide: their number is the same on a busy machine. */
describe(`an agent that ${DEPENDENTS} agents delegate to`, async () => {
  // The clock stands still, so that walks end at other limits than that of time.
  const now = Date.now()
  const running = await useConsole({ overrides: { now: () => now } })
  const person = await running.person()
  // An update whose row finds no room in its page also writes to each index.
  await running.database.query('ALTER TABLE agents SET (fillfactor = 10)')
  const caller = {
    ...{
      teamId: person.team,
      userId: person.user,
      requestId: 'proof',
      name: null,
      clientId: null,
      via: 'api' as const,
    },
    permissions: new Set<string>(['agent:secret']),
  }
  const popular = await createAgent(running, person, { agent_url: 'https://popular.example.com' })
  const alone = await createAgent(running, person, { agent_url: 'https://alone.example.com' })
  const warm = await createAgent(running, person, { agent_url: 'https://warm.example.com' })
  const byId = (await createAgent(running, person, { delegated_agents: [{ agent_id: popular.id }] })).id
  const byUrl = (
    await createAgent(running, person, { delegated_agents: [{ url: 'https://popular.example.com' }] })
  ).id
  for (const id of [byId, byUrl]) await copyAgent(running, person, id, DEPENDENTS / 2 - 1)
  // Autovacuum makes a session read the catalogue again, which would count as pages of the operation.
  await running.database.query(`DO $$
    DECLARE name regclass;
    BEGIN
      FOR name IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace LOOP
        EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = off)', name);
      END LOOP;
    END $$`)
  await running.database.query('VACUUM (ANALYZE)')
  const { sql, cost, close } = await createExplainingSql(
    running.database.url,
    running.core.database.system,
    'force_generic_plan',
  )
  closeAfter(close)
  const core = { ...running.core, database: { ...running.core.database, ...sql } }
  const reads = { now: () => now, database: { searches: sql } }
  const anyRevision = { expectedRevisions: null }

  const operations: Record<string, (id: string) => Promise<unknown>> = {
    'an update': (id) => updateAgent(core, caller, id, { purpose: 'new' }, anyRevision),
    'an update of its URL': (id) =>
      updateAgent(core, caller, id, { agent_url: `https://${id}.example.com` }, anyRevision),
    'an update of its delegations': (id) =>
      updateAgent(core, caller, id, { delegated_agents: [{ url: 'https://x.example.com' }] }, anyRevision),
    'a move to another trust stage': (id) =>
      changeTrustStage(core, caller, id, { trust_stage: 'tested' }, anyRevision),
    'a read of its own delegations': (id) => readDelegation(reads, caller, id, {}),
    'a deletion': (id) => deleteAgent(core, caller, id, anyRevision),
    'a recovery': (id) => recoverAgent(core, caller, id),
  }
  for (const [what, operation] of Object.entries(operations)) {
    it(`reads for ${what} about as many pages as one that none delegates to`, async (t) => {
      // The first one also reads the catalogue.
      await cost(() => operation(warm.id))
      const [few, many] = [await cost(() => operation(alone.id)), await cost(() => operation(popular.id))]
      t.diagnostic(`${few.pages} pages, then ${many.pages}; ratio ${(many.pages / few.pages).toFixed(2)}`)
      assert.equal(many.statements, few.statements)
      assert.ok(many.pages <= 1.5 * few.pages + 5, `${many.pages} for ${few.pages}`)
    })
  }

  it('reads for a page of its dependents, its impact and a refusal as much as the page needs', async (t) => {
    const page = await cost(() => listAgentDependents(reads, caller, popular.id, { limit: 100 }))
    const plan = await cost(() => planDeletion(core, caller, popular.id, anyRevision))
    // The worst case: no dependent is at that stage, so all of them are read.
    const startedAt = performance.now()
    await running.request('DELETE', `/v1/agent-configurations/${popular.id}?dry_run=true`, {
      token: person.token,
      headers: { 'console-refuse-if-dependents': 'adapted' },
    })
    const ms = Math.round(performance.now() - startedAt)
    t.diagnostic(
      `${page.pages} pages for 100 dependents, ${plan.pages} for the impact; ${ms} ms for a refusal`,
    )
    assert.ok(page.pages < 2_000, `${page.pages}`)
    assert.ok(plan.pages < 4_000, `${plan.pages}`)
  })

  it('takes as long to update', async (t) => {
    const times: Record<string, number[]> = { [alone.id]: [], [popular.id]: [] }
    for (let n = 0; n < TIMED_UPDATES; n++) {
      for (const [id, ofAgent] of Object.entries(times)) {
        ofAgent.push(...(await timed(1, () => putAgent(running, person, id, { purpose: `${n}` }))))
      }
    }
    const [few, many] = Object.values(times).map((ofAgent) => quantile(ofAgent, 0.5)) as [number, number]
    t.diagnostic(`${few.toFixed(2)} ms, then ${many.toFixed(2)} ms; ratio ${(many / few).toFixed(2)}`)
  })

  it('is part of walks that end at their limits and say so', async (t) => {
    const ids = await running.database.query<{ id: string }>(
      'SELECT id FROM agents WHERE team_id = $1 LIMIT 1500',
      [person.team],
    )
    const limit = async (...groups: string[][]) => {
      const hubs = []
      for (const group of groups) {
        const delegated_agents = group.map((agent_id) => ({ agent_id }))
        hubs.push((await createAgent(running, person, { delegated_agents })).id)
      }
      const delegated_agents = hubs.map((agent_id) => ({ agent_id }))
      const root = await createAgent(running, person, { delegated_agents })
      const path = `/v1/agent-configurations/${root.id}/delegation`
      const { body } = await running.request('GET', path, { token: person.token })
      t.diagnostic(`${body.nodes.length} agents, ${body.edges.length} delegations: ${body.limits.join(', ')}`)
      assert.equal(body.complete, false)
      assert.ok(body.nodes.length <= 1_000 && body.edges.length <= 5_000)
      return body.limits as string[]
    }
    const all = ids.map(({ id }) => id)
    assert.ok((await limit(all.slice(0, 750), all.slice(750))).includes('nodes'))
    const same = all.slice(0, 900)
    assert.ok((await limit(same, same, same, same, same, same)).includes('edges'))
  })
})

/** Copies an agent. Triggers copy its delegations. */
async function copyAgent(running: TestConsole, { team }: Person, id: string, count: number): Promise<void> {
  await running.database.query(
    `INSERT INTO agents SELECT copy.*
     FROM agents a, (SELECT gen_random_uuid() AS id FROM generate_series(1, $3::integer)) new,
       LATERAL json_populate_record(a, json_build_object('id', new.id)) copy
     WHERE a.team_id = $1 AND a.id = $2`,
    [team, id, count],
  )
}
