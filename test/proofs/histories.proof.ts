import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Agent } from '../../src/agent/schema.ts'
import { COLLECTION, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'
import { sized } from '../support/sized.ts'

/** The first revision of a history: some histories cross the snapshot at revision 100. */
const FIRST_REVISIONS = [1, 97]

const HISTORIES = sized(150, 10_000)
const AT_ONCE = 8

const text = fc.oneof(fc.constantFrom('a', 'b', ''), fc.string({ unit: 'grapheme', maxLength: 12 }))
const json = fc.dictionary(fc.constantFrom('a', 'b', '1'), fc.oneof(fc.integer(), text, fc.constant(null)), {
  maxKeys: 3,
})
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })

const change = fc.record(
  {
    agent_name: text,
    purpose: maybe(text),
    status: fc.constantFrom('draft', 'active', 'archived'),
    agent_params: maybe(json),
    delegated_agents: fc.array(json, { maxLength: 2 }),
    test_score: maybe(fc.constantFrom('1', '1.0', '12345678901234567890.5', '-0.5')),
    last_evaluated_at: maybe(fc.integer()),
    guard_manually_configured: fc.boolean(),
    evaluated_harnesses: maybe(fc.array(text, { maxLength: 2 })),
    api_key: maybe(fc.constantFrom('short', 'sk-0123456789-abcdefghij', 'sk-0123456789-zzzzzzzzzz')),
    white_box_config: maybe(fc.record({ repo_url: text, github_token: maybe(fc.constantFrom('x', 'y')) })),
    restore: fc.integer({ min: 1, max: 4 }),
  },
  { requiredKeys: [] },
)
const changesOfHistory = fc.array(change, { minLength: 1, maxLength: 6 })

describe('histories', async () => {
  const running = await useConsole()
  const person = await running.person()

  it(`fold into the agent at every revision, ${HISTORIES} random ones of them`, async (t) => {
    let histories = 0
    let revisions = 0
    const samples = fc.sample(changesOfHistory, { numRuns: HISTORIES, seed: 11 }).values()
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const changes of samples) {
          const made = await check(changes, FIRST_REVISIONS[histories++ % FIRST_REVISIONS.length] as number)
          revisions += made
        }
      }),
    )
    t.diagnostic(`${HISTORIES} histories, ${revisions} revisions, each read back as it was`)
  })

  /** Lives a history, then reads it back; answers how many revisions it had. */
  async function check(changes: { restore?: number }[], first: number): Promise<number> {
    const { id } = await createAgent(running, person)
    await running.database.query(
      `WITH renumbered AS (UPDATE agent_revisions SET revision = $3 WHERE team_id = $1 AND agent_id = $2)
       UPDATE agents SET revision = $3 WHERE team_id = $1 AND id = $2`,
      [person.team, id, first],
    )
    const states = new Map<number, Agent>()
    const remember = async () => {
      const { headers, body } = await getAgent(running, person, id)
      states.set(Number(headers.get('etag')?.slice(1, -1)), body)
    }
    await remember()
    for (const { restore, ...update } of changes) {
      const restored = first - 1 + (restore ?? 0)
      if (restore !== undefined && states.has(restored)) {
        const path = `${COLLECTION}/${id}/revisions/${restored}/restore`
        const reply = await running.request('POST', path, { token: person.token })
        assert.equal(reply.status, 200, reply.text)
        await remember()
      }
      const reply = await putAgent(running, person, id, update)
      assert.equal(reply.status, 200, reply.text)
      await remember()
    }
    for (const [revision, state] of states) {
      const reply = await getAgent(running, person, `${id}?revision=${revision}`)
      assert.deepEqual(reply.body, state, `revision ${revision} of ${id}`)
    }
    await checkDiffs(id, first)
    return states.size
  }

  /** Between two revisions that follow each other, exactly those fields differ that the later one changed. */
  async function checkDiffs(id: string, first: number): Promise<void> {
    const get = async (path: string) =>
      (await running.request('GET', `${COLLECTION}/${id}/revisions${path}`, { token: person.token })).body
    for (const { revision, fields } of (await get('')).results) {
      if (revision === first) continue
      const { changes } = await get(`/${revision}/diff`)
      const differing = changes.map(({ field }: { field: string }) => field)
      assert.deepEqual(differing.toSorted(), fields.toSorted(), `revision ${revision} of ${id}`)
    }
  }
})
