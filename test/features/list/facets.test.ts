import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  ACCESS_LEVELS,
  AGENT_STATUSES,
  type Agent,
  PROTECTION_STATUSES,
  PROTOCOLS,
  TRUST_STAGES,
} from '../../../src/agent/schema.ts'
import type { Caller } from '../../../src/api/caller.ts'
import { countFacets } from '../../../src/features/list/facets.ts'
import {
  type AgentFacets,
  type AgentFiltersQuery,
  EVALUATION_STATES,
} from '../../../src/features/list/schema.ts'
import { COLLECTION, createAgent } from '../../support/agents.ts'
import { useConsole } from '../../support/console.ts'
import {
  evaluationOf,
  makeVariedAgents,
  matches,
  PAIRS,
  SINGLES,
  toQuery,
} from '../../support/varied-agents.ts'

type Facet = keyof AgentFacets['facets']

const VALUES: Partial<Record<Facet, readonly string[]>> = {
  statuses: AGENT_STATUSES,
  trust_stages: TRUST_STAGES,
  protection_statuses: PROTECTION_STATUSES,
  access_levels: ACCESS_LEVELS,
  protocols: PROTOCOLS,
  evaluation: EVALUATION_STATES,
}

const VALUES_OF: Record<Facet, (agent: Agent) => (string | undefined)[]> = {
  statuses: ({ status }) => [status],
  trust_stages: ({ trust_stage }) => [trust_stage],
  protection_statuses: ({ protection_status }) => [protection_status],
  access_levels: ({ access_level }) => [access_level],
  protocols: ({ protocol }) => [protocol],
  evaluation: (agent) => [evaluationOf(agent)],
  model_names: ({ model_name }) => [model_name],
  tags: ({ agent_metadata }) => [...new Set(agent_metadata?.tags ?? [])],
}

/** The facets as the contract describes them, without a database. */
function expectedFacets(agents: readonly Agent[], filter: AgentFiltersQuery): AgentFacets {
  const facets = Object.entries(VALUES_OF).map(([facet, valuesOf]) => {
    const { [facet as Facet]: _, ...others } = filter
    // Without a filter of its own, the facet of statuses has the archived agents too.
    const counted = agents.filter((agent) =>
      matches(agent, facet === 'statuses' ? { ...others, statuses: [...AGENT_STATUSES] } : others),
    )
    const countOf = (value: string) => counted.filter((agent) => valuesOf(agent).includes(value)).length
    const known = VALUES[facet as Facet]
    const found = [...new Set(counted.flatMap(valuesOf))] as string[]
    const counts = (known ?? found).map((value) => ({ value, count: countOf(value) }))
    return [
      facet,
      known ? counts : counts.toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)),
    ]
  })
  return {
    count: agents.filter((agent) => matches(agent, filter)).length,
    approximate: false,
    facets: Object.fromEntries(facets) as AgentFacets['facets'],
  }
}

describe('the facets', async () => {
  const running = await useConsole()
  const person = await running.person()
  const agents = await makeVariedAgents(running, person, 100)
  const otherTeam = await running.person()
  await createAgent(running, otherTeam, { model_name: 'of another team' })

  const read = async (query: string, token = person.token) => {
    const reply = await running.request<AgentFacets>('GET', `${COLLECTION}/facets?${query}`, { token })
    assert.equal(reply.status, 200, `${query} ${reply.text}`)
    return reply.body
  }

  it('are what a plain count returns, for each filter and each two together', async () => {
    for (const filter of [...SINGLES, ...PAIRS]) {
      assert.deepEqual(await read(toQuery(filter)), expectedFacets(agents, filter), toQuery(filter))
    }
  })

  it('have the 50 most frequent models and tags', async () => {
    const own = await running.person()
    for (let n = 0; n < 60; n++) {
      for (let copies = 0; copies < (n < 10 ? 2 : 1); copies++) {
        const agent_metadata = { tags: [`tag ${n}`, 'all'] }
        await createAgent(running, own, { model_name: `model ${n}`, agent_metadata })
      }
    }
    const { facets } = await read('', own.token)
    assert.equal(facets.model_names.length, 50)
    assert.equal(facets.tags.length, 50)
    assert.deepEqual(facets.tags[0], { value: 'all', count: 70 })
    for (const values of [facets.model_names.slice(0, 10), facets.tags.slice(1, 11)]) {
      assert.deepEqual(
        values.map(({ value, count }) => [Number(value.split(' ')[1]), count]),
        Array.from({ length: 10 }, (_, n) => [n, 2]),
      )
    }
  })

  it('count the first 50 tags of an agent, each once', async () => {
    const own = await running.person()
    const tags = ['a', 'a', ...Array.from({ length: 60 }, (_, n) => `tag ${n}`)]
    await createAgent(running, own, { agent_metadata: { tags } })
    const { facets } = await read('', own.token)
    assert.equal(facets.tags.length, 49)
    assert.ok(facets.tags.every(({ count }) => count === 1))
    assert.equal((await read('tags=tag+47', own.token)).count, 1)
    assert.equal((await read('tags=tag+48', own.token)).count, 0)
  })

  it('follow every change: creation, deletion, recovery', async () => {
    const own = await running.person()
    assert.equal((await read('', own.token)).count, 0)
    const { id } = await createAgent(running, own)
    assert.equal((await read('model_names=model', own.token)).count, 1)
    await running.request('DELETE', `${COLLECTION}/${id}`, { token: own.token })
    assert.equal((await read('', own.token)).count, 0)
    await running.request('POST', `${COLLECTION}/${id}/recover`, { token: own.token })
    assert.equal((await read('model_names=model', own.token)).count, 1)
  })

  it('have nothing of another team', async () => {
    const { facets, count } = await read('', otherTeam.token)
    assert.equal(count, 1)
    assert.deepEqual(facets.model_names, [{ value: 'of another team', count: 1 }])
    assert.ok(!JSON.stringify(await read('')).includes('another team'))
  })

  it('cover the newest agents if there are too many', async () => {
    const { core } = running
    const caller = { teamId: person.team } as Caller
    assert.deepEqual(await countFacets(core, caller, {}, 100), expectedFacets(agents, {}))
    const newest = { ...expectedFacets(agents.slice(10), {}), approximate: true }
    assert.deepEqual(await countFacets(core, caller, {}, 90), newest)
  })

  it('refuse what they do not offer', async () => {
    for (const [query, loc, type] of [
      ['evaluation=old', ['query', 'evaluation', 0], 'enum'],
      ['min_score=x', ['query', 'min_score'], 'float_parsing'],
      ['min_score=1e999', ['query', 'min_score'], 'finite_number'],
      [`tags=${'x'.repeat(256)}`, ['query', 'tags', 0], 'string_too_long'],
      ['tags=x&'.repeat(21), ['query', 'tags'], 'too_long'],
      ['hubs=%00', ['query', 'hubs', 0], 'value_error'],
      ['limit=5', ['query', 'limit'], 'extra_forbidden'],
    ] as const) {
      const reply = await running.request('GET', `${COLLECTION}/facets?${query}`, { token: person.token })
      assert.equal(reply.status, 422, query)
      assert.deepEqual([reply.body.detail[0].loc, reply.body.detail[0].type], [[...loc], type], query)
    }
  })
})
