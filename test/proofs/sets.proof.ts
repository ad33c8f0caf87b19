import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { AGENT_DEFAULTS } from '../../src/agent/fields.ts'
import type { Agent } from '../../src/agent/schema.ts'
import { SPEC_FIELDS } from '../../src/features/sets/schema.ts'
import { agentBodies } from '../support/agent-bodies.ts'
import { COLLECTION, codeOf, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { useConsole, useReplica } from '../support/console.ts'
import { useSet } from '../support/sets-scene.ts'
import { seedOr, sized } from '../support/sized.ts'
import {
  type Answer,
  type Done,
  FIELDS,
  type Field,
  hasOrder,
  newState,
  type Operation,
  type State,
  step,
} from './set-model.ts'

const INTERLEAVINGS = sized(100, 10_000)
const PULLED = sized(100, 1_000)
const SEED = seedOr(17)
const AT_ONCE = 8

const letter = fc.constantFrom('a', 'b', 'c')
const skills = fc.constantFrom([], [{ id: 'a', name: 'a' }], [{ name: 'b', id: 'a', x: 1 }])
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 4 })
const VALUES = {
  ...{ model_name: letter, hub: letter, skills },
  ...{ purpose: maybe(letter), agent_system_prompt: maybe(letter) },
}
const someOf = (fields: readonly Field[]) =>
  fc.record(Object.fromEntries(fields.map((field) => [field, VALUES[field]])), { requiredKeys: [] })
const ifMatch = fc.oneof(
  { arbitrary: fc.constant(undefined), weight: 8 },
  { arbitrary: fc.integer({ min: 1, max: 6 }), weight: 1 },
)
const update = fc.record({ kind: fc.constant('update' as const), values: someOf(FIELDS), ifMatch })
/** Mostly fields of its own, so that sets do not only refuse each other. */
const setOperations = (set: string, own: readonly Field[]) => {
  const spec = fc.oneof({ arbitrary: someOf(own), weight: 4 }, { arbitrary: someOf(FIELDS), weight: 1 })
  const force = fc.subarray([...FIELDS], { maxLength: 1 })
  const apply = fc.record({
    kind: fc.constant('apply' as const),
    set: fc.constant(set),
    spec,
    force,
    ifMatch,
  })
  const release = fc.record({ kind: fc.constant('release' as const), set: fc.constant(set) })
  return fc.oneof({ arbitrary: apply, weight: 8 }, { arbitrary: release, weight: 1 })
}
const script = <T>(operation: fc.Arbitrary<T>) => fc.array(operation, { minLength: 2, maxLength: 4 })
/** Two sets and a person. */
const scripts: fc.Arbitrary<Operation[][]> = fc.tuple(
  script(setOperations('one', ['model_name', 'purpose', 'skills'])),
  script(setOperations('two', ['hub', 'agent_system_prompt', 'skills'])),
  script(update),
)

describe('configuration sets', async () => {
  const running = await useConsole()
  const replicas = [running, await useReplica(running)]
  const person = await running.person()
  const row = async (text: string, values: unknown[]) => (await running.database.query(text, values))[0]

  const send = async (id: string, operation: Operation, replica: number): Promise<Answer> => {
    const console = replicas[replica % 2] as typeof running
    const { kind } = operation
    const headers: Record<string, string> =
      'ifMatch' in operation && operation.ifMatch !== undefined
        ? { 'if-match': `"${operation.ifMatch}"` }
        : {}
    if (kind === 'update') {
      const reply = await putAgent(console, person, id, operation.values, headers)
      return reply.status === 200
        ? { status: 200, revision: Number(reply.headers.get('etag')?.slice(1, -1)) }
        : { status: reply.status, code: codeOf(reply) as string }
    }
    const set = useSet(console, person, operation.set)
    if (kind === 'release') {
      const reply = await set.release(id)
      return reply.status === 204 ? { status: 204 } : { status: reply.status, code: codeOf(reply) as string }
    }
    const { spec, force } = operation
    const reply = await set.apply(id, { spec, force, adopt: id }, headers)
    if (reply.status >= 300) return { status: reply.status, code: codeOf(reply) as string }
    const { revision, changes, released } = reply.body
    return {
      ...{ status: reply.status, revision, released: released as Field[] },
      changes: changes.map(({ field, old, new: value, drifted }) => ({
        ...{ field: field as Field, old, new: value, drifted },
      })),
    }
  }

  /** What the database says of the agent, in the form of the model. */
  const readState = async (id: string) => {
    const { body } = await getAgent(running, person, id)
    const bindings = await running.database.query<{
      set: string
      fields: Field[]
      applied: number
      drift: object
    }>(
      `SELECT set, fields, applied_revision::int AS applied, drift FROM managed_agents WHERE agent_id = $1`,
      [id],
    )
    const events = await running.database.query<{ payload: { fields: Field[]; drifted_sets?: string[] } }>(
      'SELECT payload FROM outbox WHERE aggregateid = $1 AND revision > 1 ORDER BY revision',
      [id],
    )
    const [audited, revisions] = await Promise.all(
      ["audit_events WHERE action IN ('agent_created', 'agent_updated') AND", 'agent_revisions WHERE'].map(
        async (table) => (await row(`SELECT count(*)::int AS n FROM ${table} agent_id = $1`, [id]))?.['n'],
      ),
    )
    assert.equal(audited, revisions, 'one audit event for each revision')
    return {
      revision: revisions,
      live: pick(body),
      bindings: Object.fromEntries(
        bindings.map(({ set, fields, applied, drift }) => [set, { fields, applied, drift }]),
      ),
      events: events.map(({ payload }) => ({
        ...{ fields: payload.fields, drifted: payload.drifted_sets ?? [] },
      })),
    }
  }
  const toComparable = ({ revision, history, bindings, events }: State) => ({
    ...{ revision, live: history.at(-1), bindings, events },
  })

  it(`and a person that write the same agent at once: ${INTERLEAVINGS} interleavings are as if one after the other`, async (t) => {
    const samples = fc.sample(scripts, { numRuns: INTERLEAVINGS, seed: SEED }).entries()
    const statuses: Record<string, number> = {}
    let repeated = 0
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const [n, operations] of samples) {
          while (!(await interleave(n, operations, statuses))) repeated++
        }
      }),
    )
    t.diagnostic(`${repeated} interleavings had no response of the database and were repeated`)
    assert.ok(repeated <= INTERLEAVINGS / 100, `${repeated} repeated`)
    t.diagnostic(`${INTERLEAVINGS} interleavings: ${JSON.stringify(statuses)}`)
    assert.ok((statuses['200'] ?? 0) + (statuses['201'] ?? 0) > INTERLEAVINGS, 'most requests are handled')
  })

  /** Returns false if a request has no known outcome: the database did not respond in time. The model cannot judge that, unlike the
   * refusals of a busy console. */
  async function interleave(n: number, operations: Operation[][], statuses: Record<string, number>) {
    const created = await running.request<Agent>('POST', COLLECTION, {
      token: person.token,
      json: { agent_name: 'Agent', model_name: 'a', hub: 'a' },
    })
    if (created.status === 503) return false
    assert.equal(created.status, 201, created.text)
    const agent = created.body
    const done = await Promise.all(
      operations.map(async (own, actor) => {
        const answers: Done[] = []
        for (const operation of own) {
          answers.push({ operation, answer: await send(agent.id, operation, n + actor) })
        }
        return answers
      }),
    )
    const answers = done.flat().map(({ answer }) => answer)
    if (answers.some(({ code }) => code === 'outcome_unknown')) return false
    const end = await readState(agent.id)
    const isEnd = (state: State) => isDeepStrictEqual(toComparable(state), end)
    assert.ok(
      hasOrder(newState(pick(agent)), done, isEnd),
      `seed ${SEED}, number ${n}: ${JSON.stringify({ done, end })}`,
    )
    for (const { code, status } of answers) {
      const name = code ?? String(status)
      statuses[name] = (statuses[name] ?? 0) + 1
    }
    return true
  }

  it('answer in a dry run what the write answers, step by step', async (t) => {
    const samples = fc.sample(scripts, { numRuns: INTERLEAVINGS / 10, seed: SEED + 1 }).values()
    let steps = 0
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const operations of samples) {
          const agent = await createAgent(running, person, { model_name: 'a', hub: 'a' })
          let state = newState(pick(agent))
          for (const operation of operations.flat()) {
            const expected = step(state, operation)
            if (operation.kind === 'apply') {
              const before = await readState(agent.id)
              const { set, spec, force, ifMatch: revision } = operation
              const headers: Record<string, string> = revision ? { 'if-match': `"${revision}"` } : {}
              const planned = await useSet(running, person, set).plan(
                agent.id,
                { spec, force, adopt: agent.id },
                headers,
              )
              assert.deepEqual(await readState(agent.id), before)
              assert.equal(planned.status, expected.answer.status, planned.text)
              if (planned.status < 300) {
                assert.equal(planned.body.revision, state.revision)
                assert.deepEqual(pick(planned.body.agent), expected.state.history.at(-1))
              }
            }
            assert.deepEqual(await send(agent.id, operation, 0), expected.answer)
            ;({ state } = expected)
            steps++
          }
          assert.deepEqual(await readState(agent.id), toComparable(state))
        }
      }),
    )
    t.diagnostic(`${steps} steps`)
  })

  it(`have nothing to change when a spec is what was read: ${PULLED} random agents`, async (t) => {
    const samples = fc.sample(agentBodies, { numRuns: PULLED, seed: SEED }).values()
    let fields = 0
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const body of samples) {
          const { id } = await createAgent(running, person, body)
          await putAgent(running, person, id, { purpose: 'of an update' })
          const spec = await pull(id)
          const reply = await useSet(running, person, 'pulled').plan(id, { spec, adopt: id })
          assert.equal(reply.status, 201, reply.text)
          assert.deepEqual(reply.body.changes, [], JSON.stringify(spec))
          fields += Object.keys(spec).length
        }
      }),
    )
    t.diagnostic(`${PULLED} agents, ${fields} fields`)
  })

  /** The fields of an agent that are neither null nor the default, with the secrets in clear text. */
  async function pull(id: string): Promise<Record<string, unknown>> {
    const { body } = await getAgent(running, person, id)
    const secrets = await running.request('GET', `${COLLECTION}/${id}/secrets`, { token: person.token })
    const {
      api_key,
      white_box_config: { github_token },
    } = secrets.body
    const agent: Record<string, unknown> = {
      ...body,
      ...(body.api_key && { api_key }),
      ...(body.white_box_config?.github_token && {
        white_box_config: { ...body.white_box_config, github_token },
      }),
    }
    const defaults: Record<string, unknown> = AGENT_DEFAULTS
    return Object.fromEntries(
      SPEC_FIELDS.map((field) => [field, agent[field]] as const).filter(
        ([field, value]) => value != null && !isDeepStrictEqual(value, defaults[field]),
      ),
    )
  }
})

const pick = (agent: Agent) =>
  Object.fromEntries(FIELDS.map((field) => [field, agent[field]])) as Record<Field, unknown>
