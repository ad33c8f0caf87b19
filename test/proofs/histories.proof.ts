import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Agent } from '../../src/contract/agent.ts'
import { COLLECTION, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'

/** 500 in CI; `npm run proof:histories` makes 10,000. */
const HISTORIES = Number(process.env['HISTORIES'] ?? 500)
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
const histories = fc.array(change, { minLength: 1, maxLength: 6 })

describe('histories', async () => {
  const running = await useConsole()
  const person = await running.person()

  it(`fold into the agent at every revision, ${HISTORIES} random ones of them`, async (t) => {
    let revisions = 0
    const samples = fc.sample(histories, { numRuns: HISTORIES, seed: 11 }).values()
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const changes of samples) {
          const made = await check(changes)
          revisions += made
        }
      }),
    )
    t.diagnostic(`${HISTORIES} histories, ${revisions} revisions, each read back as it was`)
  })

  /** Lives a history, then reads it back; answers how many revisions it had. */
  async function check(changes: { restore?: number }[]): Promise<number> {
    const { id } = await createAgent(running, person)
    const states = new Map<number, Agent>()
    const remember = async () => {
      const { headers, body } = await getAgent(running, person, id)
      states.set(Number(headers.get('etag')?.slice(1, -1)), body)
    }
    await remember()
    for (const { restore, ...update } of changes) {
      if (restore !== undefined && states.has(restore)) {
        const path = `${COLLECTION}/${id}/revisions/${restore}/restore`
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
    return states.size
  }
})
