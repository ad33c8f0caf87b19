import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AgentDelegation } from '@agent-console/sdk'
import { otherPaths, shortAddress, toGraph, weakestPath } from '../../src/agent/delegation/graph.ts'
import { pathTitle } from '../../src/agent/delegation/words.ts'

type Stage = NonNullable<AgentDelegation['nodes'][number]['trust_stage']>

const node = (id: string, depth: number, trust_stage: Stage): AgentDelegation['nodes'][number] => ({
  ...{ id, agent_name: id, depth, trust_stage, evaluation: 'none' },
  ...{ status: 'active', protection_status: 'unprotected' },
})
const edge = (from: string, position: number, to: string | null): AgentDelegation['edges'][number] => ({
  ...{ from, position, to, candidates: [], matched_by: to === null ? null : 'agent_id' },
  ...{ kind: to === null ? 'external' : 'agent', label: to ?? 'https://Tow.example/a2a' },
})

function delegation(
  nodes: AgentDelegation['nodes'],
  edges: AgentDelegation['edges'],
  path: AgentDelegation['weakest']['trust_stage']['path'],
): AgentDelegation {
  const weakest = { value: null, path }
  return {
    ...{ agent_id: 'a', as_of: null, nodes, edges, cycles: [], complete: true, limits: [] },
    weakest: { trust_stage: weakest, protection_status: weakest, evaluation: weakest },
  }
}

describe('the graph of delegations', () => {
  it('marks the weakest path and ends it at the weakest agent', () => {
    const graph = toGraph(
      delegation(
        [
          node('a', 0, 'trusted'),
          node('b', 1, 'tested'),
          node('c', 2, 'registered'),
          node('d', 1, 'adapted'),
        ],
        [edge('a', 0, 'b'), edge('a', 1, 'd'), edge('b', 0, 'c')],
        [
          { from: 'a', position: 0, to: 'b' },
          { from: 'b', position: 0, to: 'c' },
        ],
      ),
      [],
    )
    const path = weakestPath(graph)
    assert.deepEqual(
      path.map(({ name }) => name),
      ['a', 'b', 'c'],
    )
    assert.equal(pathTitle(path), '3 agents, ends at Registered without a guard')
    assert.deepEqual(
      otherPaths(graph).map((way) => way.map(({ name }) => name)),
      [['d']],
    )
  })

  it('shows one address that two agents name as one unknown agent', () => {
    const graph = toGraph(
      delegation(
        [node('a', 0, 'trusted'), node('b', 1, 'trusted')],
        [edge('a', 0, null), edge('a', 1, 'b'), edge('b', 0, null)],
        [{ from: 'a', position: 0, to: null }],
      ),
      [],
    )
    assert.deepEqual(
      graph.nodes.filter(({ kind }) => kind === 'external').map(({ name, column }) => [name, column]),
      [['tow.example', 1]],
    )
  })

  it('ends in a cycle, and shows a dependent that is reached anyway once', () => {
    const dependent = {
      ...node('b', 0, 'trusted'),
      position: 0,
      matched_by: 'agent_id',
      ambiguous: false,
    } as const
    const graph = toGraph(
      delegation(
        [node('a', 0, 'trusted'), node('b', 1, 'trusted')],
        [edge('a', 0, 'b'), edge('b', 0, 'a')],
        [],
      ),
      [dependent],
    )
    assert.equal(graph.nodes.length, 2)
    assert.equal(weakestPath(graph).length, 1)
    assert.equal(otherPaths(graph).length, 1)
  })

  it('names what has no address', () => {
    assert.equal(shortAddress(null), 'No address')
    assert.equal(shortAddress('towing desk'), 'towing desk')
  })
})
