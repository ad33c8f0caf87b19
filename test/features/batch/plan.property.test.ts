import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { AgentImportRowResult } from '../../../src/features/batch/import-schema.ts'
import { COLLECTION, putAgent } from '../../support/agents.ts'
import { useConsole } from '../../support/console.ts'
import { asPlanned, importRows } from '../../support/imports.ts'
import { sized } from '../../support/sized.ts'

interface Row {
  external_key: string
}

const RUNS = sized(15, 500)

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')

/** Values that make a row that creates, changes, leaves or is refused. */
const fields = fc.record(
  {
    agent_name: fc.constantFrom('n', 'other', null),
    model_name: fc.constantFrom('m', 'm2'),
    purpose: fc.constantFrom('p', null, ''),
    agent_params: fc.constantFrom({ temperature: 1 }, { temperature: 'warm' }, { $secret: 'none' }, null),
    skills: fc.constantFrom([], [{ id: 'a', name: 'a' }], null),
    api_key: fc.constantFrom('sk-one-0123456789abcdef', 'sk-two-0123456789abcdef', '********', null),
    white_box_config: fc.constantFrom(
      { repo_url: 'https://git.example' },
      { github_token: `ghp_${'a1B2'.repeat(9)}` },
    ),
    agent_metadata: fc.constantFrom({ tags: [`ghp_${'a1B2'.repeat(9)}`] }, { tags: [] }),
    test_score: fc.constantFrom(1, '1.0', 'x'),
    made_up: fc.constant(true),
  },
  { requiredKeys: [] },
)
const rows = fc.uniqueArray(
  fc.record({ external_key: key, fields }).map(({ external_key, fields: own }) => ({ external_key, ...own })),
  { minLength: 1, maxLength: 8, selector: (row) => row.external_key },
)

describe('the dry run of an import', async () => {
  const running = await useConsole()

  it('returns what applying the same rows does, row by row', async () => {
    const actions = new Set<string>()
    await fc.assert(
      fc.asyncProperty(
        rows,
        rows,
        fc.array(key),
        fc.array(key),
        fc.boolean(),
        async (before, now, edited, deleted, isPlanned) => {
          // Some rows again as they were imported before, and now and then one twice.
          const isNew = (row: object) =>
            !now.some((other) => other.external_key === (row as Row).external_key)
          const person = await running.person()
          const complete = before.map((row) => ({
            ...row,
            agent_name: row.agent_name ?? 'n',
            model_name: 'm',
          }))
          const sent = [...now, ...complete.filter(isNew), ...(edited.length > 3 ? now.slice(0, 1) : [])]
          const { results: first } = await importRows(running, person, complete)
          const idOf = new Map(first.map(({ external_key: name, agent_id: id }) => [name, id]))
          for (const name of edited) {
            const id = idOf.get(name)
            if (id)
              await putAgent(running, person, id, { purpose: 'edited', agent_params: { temperature: 2 } })
          }
          for (const name of deleted.slice(0, 1)) {
            const id = idOf.get(name)
            if (id) await running.request('DELETE', `${COLLECTION}/${id}`, { token: person.token })
          }
          const counts = () =>
            running.database.query(
              `SELECT (SELECT count(*) FROM agents WHERE team_id = $1) AS agents,
               (SELECT count(*) FROM agent_revisions WHERE team_id = $1) AS revisions,
               (SELECT count(*) FROM imported_agents WHERE team_id = $1) AS keys`,
              [person.team],
            )
          const atRest = await counts()
          const dry = await importRows(running, person, sent, { query: '?dry_run=true' })
          assert.deepEqual(await counts(), atRest, 'a dry run writes nothing')
          const applied = await importRows(running, person, isPlanned ? asPlanned(sent, dry) : sent)
          assert.deepEqual(applied.results.map(comparable), dry.results.map(comparable))
          for (const [index, item] of applied.results.entries()) {
            actions.add(item.action)
            const seen = dry.results[index]?.revision ?? 0
            const expected = { create: 1, update: seen + 1, unchanged: seen, conflict: seen, failed: null }[
              item.action
            ]
            assert.equal(item.revision, expected)
          }
        },
      ),
      { numRuns: RUNS, seed: 7 },
    )
    assert.deepEqual([...actions].toSorted(), ['conflict', 'create', 'failed', 'unchanged', 'update'])
  })
})

/** A dry run cannot know the id of a new agent, and the revision is compared by itself. */
function comparable(item: AgentImportRowResult) {
  const { agent_id: id, action } = item
  return { ...item, revision: null, agent_id: action === 'create' ? null : id }
}
