import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { AgentDelegation, AgentDependentPage } from '../../src/features/delegation/schema.ts'
import { COLLECTION, createAgent, putAgent } from '../support/agents.ts'
import { type Person, useConsole } from '../support/console.ts'
import { seedOr, sized } from '../support/sized.ts'
import { type GeneratedEntry, type GeneratedGraph, generatedGraph } from './delegation-graphs.ts'
import { type Entry, expectedDependents, expectedGraph, type ModelAgent } from './delegation-reference.ts'

const GRAPHS = sized(60, 10_000)
const SEED = seedOr(17)
/** How many graphs lie between two lines of progress. */
const REPORTED_GRAPHS = 500

describe('the graph of delegations', async () => {
  const running = await useConsole()

  it(`is that of a simple reference implementation, for ${GRAPHS} generated graphs of two teams`, async (t) => {
    const counts = { reads: 0, edges: 0, cycles: 0 }
    for (const [index, graph] of fc.sample(generatedGraph, { numRuns: GRAPHS, seed: SEED }).entries()) {
      await check(graph, counts)
      const compared = index + 1
      if (compared % REPORTED_GRAPHS === 0) process.stdout.write(`${compared} of ${GRAPHS} graphs\n`)
    }
    assert.ok(counts.cycles > 0)
    t.diagnostic(
      `${GRAPHS} graphs: ${counts.reads} reads with ${counts.edges} delegations and ${counts.cycles} cycles`,
    )
  })

  type Counts = { reads: number; edges: number; cycles: number }

  async function check({ agents: generated, shape, changes, depth }: GeneratedGraph, counts: Counts) {
    const people = [await running.person(), await running.person()] as [Person, Person]
    const personOf = ({ team }: ModelAgent) => people.find((person) => person.team === team) as Person
    const agents: ModelAgent[] = []
    const deleted = new Set<ModelAgent>()
    const at = (index: number) => agents[index % agents.length] as ModelAgent
    const toEntry = ({ target, ...rest }: GeneratedEntry & { target?: number }): Entry =>
      target === undefined ? rest : { ...rest, agent_id: at(target).id }
    const send = async (agent: ModelAgent, method: string, path: string, json?: object) => {
      const { token } = personOf(agent)
      const reply = await running.request(method, `${COLLECTION}/${agent.id}${path}`, { token, json })
      assert.ok(reply.status < 300, reply.text)
    }

    for (const [{ team, card, ...fields }] of generated) {
      const { team: id, ...person } = people[team] as Person
      const { agent_url, protection_status } = fields
      const json = { agent_url, protection_status, ...(card && { import_metadata: { source_url: card } }) }
      const created = await createAgent(running, { team: id, ...person }, json)
      agents.push({ id: created.id, team: id, card, ...fields, entries: [] })
    }
    for (const [index, [{ trust_stage }, entries]] of generated.entries()) {
      const agent = at(index)
      const shaped = shape?.(index, generated.length).map((target) => ({ target }))
      agent.entries = [...(shaped ?? []), ...entries].map(toEntry)
      await putAgent(running, personOf(agent), agent.id, { delegated_agents: agent.entries })
      if (trust_stage !== 'registered') await send(agent, 'PUT', '/lifecycle', { trust_stage })
    }

    for (const { agent: index, what } of changes) {
      const agent = at(index)
      if (deleted.has(agent) !== (what.kind === 'recover')) continue
      if (what.kind === 'url') {
        agent.agent_url = what.value
        await send(agent, 'PUT', '', { agent_url: what.value })
      } else if (what.kind === 'entries') {
        agent.entries = what.value.map(toEntry)
        await send(agent, 'PUT', '', { delegated_agents: agent.entries })
      } else if (what.kind === 'stage') {
        agent.trust_stage = what.value
        await send(agent, 'PUT', '/lifecycle', { trust_stage: what.value })
      } else if (what.kind === 'delete') {
        deleted.add(agent)
        await send(agent, 'DELETE', '')
      } else {
        deleted.delete(agent)
        await send(agent, 'POST', '/recover')
      }
    }

    const existing = agents.filter((agent) => !deleted.has(agent))
    for (const agent of existing) {
      await compare(agent, existing, depth)
      assert.deepEqual(await readDependents(agent), expectedDependents(existing, agent.id))
    }
    async function readDependents(agent: ModelAgent): Promise<string[]> {
      const { token } = personOf(agent)
      const path = `${COLLECTION}/${agent.id}/dependents`
      const { body } = await running.request<AgentDependentPage>('GET', path, { token })
      return body.results.map(({ id }) => id)
    }

    async function compare(agent: ModelAgent, all: ModelAgent[], limit: number) {
      const { token } = personOf(agent)
      const path = `${COLLECTION}/${agent.id}/delegation?depth=${limit}`
      const { status, body, text } = await running.request<AgentDelegation>('GET', path, { token })
      assert.equal(status, 200, text)
      const expected = expectedGraph(all, agent.id, limit)
      const hint = `${path}\n${text}\n${JSON.stringify(all)}`
      assert.deepEqual(new Map(body.nodes.map(({ id, depth: at }) => [id, at])), expected.distances, hint)
      const edges = body.edges.map(({ from, position, kind, to }) => `${from} ${position} ${kind} ${to}`)
      assert.deepEqual(edges.toSorted(), expected.edges.toSorted(), hint)
      assert.deepEqual(body.cycles.map((cycle) => cycle.toSorted().join()).toSorted(), expected.cycles, hint)
      assert.deepEqual(
        [body.complete, body.limits],
        expected.isComplete ? [true, []] : [false, ['depth']],
        hint,
      )
      for (const field of ['trust_stage', 'protection_status'] as const) {
        const { value, path: way } = body.weakest[field]
        assert.deepEqual({ value, distance: way.length }, expected.weakest[field], hint)
        let place: string | null = agent.id
        for (const step of way) {
          assert.equal(step.from, place, hint)
          assert.ok(
            edges.some(
              (edge) => edge.startsWith(`${step.from} ${step.position} `) && edge.endsWith(` ${step.to}`),
            ),
          )
          place = step.to
        }
        const end = all.find(({ id }) => id === place)
        assert.equal(end?.[field] ?? null, value, hint)
      }
      counts.reads++
      counts.edges += edges.length
      counts.cycles += body.cycles.length
    }
  }
})
