import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { updateAgent } from '../../../src/agent/agents.ts'
import type { Caller } from '../../../src/api/caller.ts'
import { createAgent } from '../../support/agents.ts'
import { closeAfter } from '../../support/close-after.ts'
import { useConsole } from '../../support/console.ts'
import { createExplainingSql } from '../../support/explaining-sql.ts'
import { useSet } from '../../support/sets-scene.ts'

describe('an update of an agent', async () => {
  const running = await useConsole()
  const person = await running.person()
  const { sql, cost, close } = await createExplainingSql(
    running.database.url,
    running.core.database.system,
    'force_generic_plan',
  )
  closeAfter(close)
  const core = { ...running.core, database: { ...running.core.database, ...sql } }
  const caller: Caller = {
    ...{ userId: person.user, teamId: person.team, requestId: 'r', name: null, clientId: null, via: 'api' },
    permissions: new Set(),
  }
  let n = 0
  const update = (id: string) =>
    cost(() => updateAgent(core, caller, id, { purpose: `value ${n++}` }, { expectedRevisions: null }))

  it('that no set owns takes two statements, and reads nothing of the sets', async (t) => {
    const [first, second] = [await createAgent(running, person), await createAgent(running, person)]
    await update(first.id)
    const before = await update(first.id)
    await running.database.query(
      `INSERT INTO managed_agents (team_id, set, key, agent_id, applied_revision, fields, applied_at, applied_by)
       SELECT $1::uuid, 'full', n::text, gen_random_uuid(), 1, '{purpose}', 0, $1::uuid FROM generate_series(1, 10000) n`,
      [person.team],
    )
    const withSets = await update(first.id)
    const owned = useSet(running, person, 'files')
    const applied = await owned.apply('a', { spec: { purpose: 'file' }, adopt: second.id })
    assert.equal(applied.status, 201, applied.text)
    await update(second.id)
    const ofSet = await update(second.id)
    t.diagnostic(JSON.stringify({ before, withSets, ofSet }))
    assert.equal(before.statements, 2)
    assert.ok(withSets.pages <= before.pages + 1, 'a page more is that of an index that has grown')
    assert.equal(ofSet.statements, 3, 'one for the owners of its fields')
    assert.ok(ofSet.pages > withSets.pages, 'the drift is recorded')
  })
})
