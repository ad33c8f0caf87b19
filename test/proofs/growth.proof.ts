import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import {
  diffRevisions,
  listRevisions,
  readRevision,
  restoreRevision,
} from '../../src/agent/history/history.ts'
import { deleteAgent, recoverAgent } from '../../src/agent/lifecycle/deletion.ts'
import { eraseStep } from '../../src/agent/lifecycle/erase.ts'
import { createAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'
import { createExplainingSql, type PlanMode } from '../support/explaining-sql.ts'
import { insertRevisions } from '../support/revisions.ts'
import { sized } from '../support/sized.ts'

const REVISIONS = sized(20_000, 1_000_000)
const FEW = 100

interface Subject {
  id: string
  revisions: number
}

/** Counts pages, not time: a page count is the same on a busy machine. */
describe(`an agent with ${REVISIONS} revisions`, async () => {
  const running = await useConsole()
  const person = await running.person()
  const caller = {
    ...{
      teamId: person.team,
      userId: person.user,
      requestId: 'proof',
      name: null,
      clientId: null,
      via: 'api' as const,
    },
    permissions: new Set<string>(),
  }

  const makeAgent = async (revisions: number): Promise<Subject> => {
    const { id } = await createAgent(running, person, { purpose: 'first', api_key: 'sk-1' })
    await insertRevisions(running.database, person, id, revisions)
    return { id, revisions }
  }
  const short = await makeAgent(FEW)
  const long = await makeAgent(REVISIONS)
  await running.database.query('VACUUM (ANALYZE) agent_revisions')
  await running.database.query('VACUUM (ANALYZE) agents')

  const explaining = async (mode: PlanMode) => {
    const explained = await createExplainingSql(running.database.url, running.core.database.system, mode)
    after(() => explained.close())
    const { core } = running
    return { ...explained, core: { ...core, database: { ...core.database, ...explained.sql } } }
  }

  for (const mode of ['force_custom_plan', 'force_generic_plan'] as const) {
    const { cost, core } = await explaining(mode)
    const operations: Record<string, (subject: Subject) => Promise<unknown>> = {
      'the newest page of its revisions': ({ id }) => listRevisions(core, caller, id, { limit: 10 }),
      'its first revision': ({ id }) => readRevision(core, caller, id, 1),
      'a revision in the middle': ({ id, revisions }) =>
        readRevision(core, caller, id, Math.floor(revisions / 200) * 100 + 1),
      'a diff from its first revision to its last': ({ id, revisions }) =>
        diffRevisions(core, caller, id, revisions, 1),
      'a restore': ({ id }) =>
        restoreRevision(core, caller, id, mode === 'force_custom_plan' ? 1 : 2, { expectedRevisions: null }),
      'a deletion': ({ id }) => deleteAgent(core, caller, id, { expectedRevisions: null }),
      'a recovery': ({ id }) => recoverAgent(core, caller, id),
    }
    for (const [what, operation] of Object.entries(operations)) {
      it(`reads for ${what} at most twice the pages of one with ${FEW} (${mode})`, async (t) => {
        const [few, many] = [await cost(() => operation(short)), await cost(() => operation(long))]
        t.diagnostic(`${few.pages} pages, then ${many.pages}`)
        assert.ok(few.pages > 0)
        assert.equal(many.statements, few.statements)
        assert.ok(many.pages <= 2 * few.pages, `${many.pages} for ${few.pages}`)
      })
    }
  }

  it('is erased in steps that each read as few pages as the first', async (t) => {
    const { cost, sql } = await explaining('force_generic_plan')
    await running.request('DELETE', `/v1/agent-configurations/${long.id}?erase=true`, { token: person.token })
    const nowSeconds = Math.floor(Date.now() / 1_000)
    const pages: number[] = []
    let steps = 0
    for (let hasMore = true; hasMore; steps++) {
      // Explaining takes time: it is enough to look at some.
      if (steps % Math.ceil(REVISIONS / 100 / 20) !== 0)
        hasMore = await eraseStep(running.core.database.system, nowSeconds)
      else {
        const step = await cost(async () => (hasMore = await eraseStep(sql.of(person.team), nowSeconds)))
        pages.push(step.pages)
      }
    }
    t.diagnostic(`${steps} steps; pages of some: ${pages.join(' ')}`)
    assert.ok(Math.max(...pages) <= 2 * (pages[0] as number))
    const [left] = await running.database.query('SELECT FROM agent_revisions WHERE agent_id = $1 LIMIT 1', [
      long.id,
    ])
    assert.equal(left, undefined)
  })
})

describe('a long prompt in every revision', async () => {
  const running = await useConsole()
  const person = await running.person()
  const caller = {
    ...{
      teamId: person.team,
      userId: person.user,
      requestId: 'proof',
      name: null,
      clientId: null,
      via: 'api' as const,
    },
    permissions: new Set<string>(),
  }

  it('is read only where it is shown or part of the snapshot', async (t) => {
    const { id } = await createAgent(running, person, { purpose: 'first' })
    // Digests, because repeated text would be compressed to nothing: 64 KiB each.
    await insertRevisions(running.database, person, id, 250)
    await running.database.query(
      `UPDATE agent_revisions SET fields = '{agent_system_prompt}', before = json_build_object('agent_system_prompt', (
         SELECT string_agg(md5(revision || ' ' || i), '') FROM generate_series(1, 2000) i
       )) WHERE agent_id = $1 AND revision > 1`,
      [id],
    )
    const { sql, cost, close } = await createExplainingSql(
      running.database.url,
      running.core.database.system,
      'force_custom_plan',
    )
    after(close)
    const core = { ...running.core, database: { ...running.core.database, ...sql } }
    const { pages } = await cost(() => readRevision(core, caller, id, 101))
    t.diagnostic(`${pages} pages`)
    // About 470 where it reads one value, 2,700 where it reads those of all 99 revisions that are undone.
    assert.ok(pages < 1_000, `${pages}`)
  })
})
