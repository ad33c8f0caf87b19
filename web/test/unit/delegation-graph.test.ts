import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AgentDelegation } from '@agent-console/sdk'
import {
  isAlone,
  otherPaths,
  pathTitle,
  shortAddress,
  toGraph,
  weakestPath,
} from '../../src/agent/delegation/graph.ts'
import { fitInto } from '../../src/agent/delegation/layout.ts'

type Node = AgentDelegation['nodes'][number]
type Path = AgentDelegation['weakest']['trust_stage']['path']
type Stage = NonNullable<Node['trust_stage']>

const node = (
  id: string,
  depth: number,
  trust_stage: Stage,
  protection_status: NonNullable<Node['protection_status']> = 'unprotected',
): Node => ({
  ...{ id, agent_name: id, depth, trust_stage, evaluation: 'none' },
  ...{ status: 'active', protection_status },
})
const edge = (from: string, position: number, to: string | null): AgentDelegation['edges'][number] => ({
  ...{ from, position, to, candidates: [], matched_by: to === null ? null : 'agent_id' },
  ...{ kind: to === null ? 'external' : 'agent', label: to ?? 'https://Tow.example/a2a' },
})

function delegation(
  nodes: AgentDelegation['nodes'],
  edges: AgentDelegation['edges'],
  path: Path,
  /** null: the path leads to an unknown agent. */
  stage: Stage | null = null,
  protectionPath = path,
): AgentDelegation {
  return {
    ...{ agent_id: 'a', nodes, edges, cycles: [], complete: true, limits: [] },
    weakest: {
      trust_stage: { value: stage, path },
      protection_status: { value: null, path: protectionPath },
      evaluation: { value: null, path },
    },
  }
}

const names = (path: readonly { name: string }[]): string[] => path.map(({ name }) => name)

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
        'registered',
      ),
      [],
    )
    const path = weakestPath(graph)
    assert.deepEqual(names(path), ['a', 'b', 'c'])
    assert.equal(pathTitle(path), '3 agents, ends at Registered without a guard')
    assert.deepEqual(otherPaths(graph).map(names), [['d']])
  })

  it('ends at the least protected of the agents at the lowest stage', () => {
    const toGuarded = [
      { from: 'a', position: 0, to: 'b' },
      { from: 'b', position: 0, to: 'c' },
    ]
    const graph = toGraph(
      delegation(
        [
          node('a', 0, 'trusted', 'guarded'),
          node('b', 1, 'hardened', 'guarded'),
          node('c', 2, 'tested', 'guarded'),
          node('d', 2, 'tested'),
        ],
        [edge('a', 0, 'b'), edge('b', 0, 'c'), edge('b', 1, 'd')],
        toGuarded,
        'tested',
      ),
      [],
    )
    assert.deepEqual(names(weakestPath(graph)), ['a', 'b', 'd'])
    assert.equal(graph.nodes.find(({ name }) => name === 'c')?.isWeak, false)
    assert.deepEqual(otherPaths(graph).map(names), [['b', 'c']])
  })

  it('follows the protection if no stage is lower than that of the agent', () => {
    const step = [{ from: 'a', position: 0, to: 'b' }]
    const nodes = [node('a', 0, 'tested', 'guarded'), node('b', 1, 'hardened', 'configured')]
    const graph = toGraph(delegation(nodes, [edge('a', 0, 'b')], [], 'tested', step), [])
    assert.equal(pathTitle(weakestPath(graph)), '2 agents, ends at Hardened, guard not active')
  })

  it('marks no path if nothing is weaker than the agent', () => {
    const nodes = [node('a', 0, 'tested'), node('b', 1, 'tested', 'guarded')]
    const graph = toGraph(delegation(nodes, [edge('a', 0, 'b')], [], 'tested'), [])
    assert.deepEqual(names(weakestPath(graph)), ['a'])
    assert.deepEqual(otherPaths(graph).map(names), [['b']])
  })

  it('lists the other paths, the weakest end first, and a longer one instead of its beginning', () => {
    const graph = toGraph(
      delegation(
        [
          node('a', 0, 'trusted'),
          node('b', 1, 'registered'),
          node('c', 1, 'adapted'),
          node('d', 1, 'tested'),
          node('e', 2, 'optimized'),
        ],
        [edge('a', 0, 'b'), edge('a', 1, 'c'), edge('a', 2, 'd'), edge('c', 0, 'e'), edge('d', 0, 'e')],
        [{ from: 'a', position: 0, to: 'b' }],
        'registered',
      ),
      [],
    )
    assert.deepEqual(otherPaths(graph).map(names), [['d'], ['c', 'e'], ['d', 'e']])
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
        'trusted',
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

describe('an agent without delegations', () => {
  const self = node('a', 0, 'tested')

  it('is alone, unless another one hands work to it or it hands work to itself', () => {
    assert.equal(isAlone(toGraph(delegation([self], [], []), [])), true)
    assert.equal(isAlone(toGraph(delegation([self], [edge('a', 0, 'a')], []), [])), false)
    const dependent = {
      ...node('b', 0, 'tested'),
      position: 0,
      matched_by: 'agent_id',
      ambiguous: false,
    } as const
    assert.equal(isAlone(toGraph(delegation([self], [], []), [dependent])), false)
  })
})

describe('the whole graph in view', () => {
  const canvas = { width: 1000, height: 600 }
  const size = { width: 200, height: 50 }

  it('stands at the top, in the middle between left and right', () => {
    const places = [
      { x: 0, y: -100 },
      { x: 300, y: 50 },
    ]
    assert.deepEqual(fitInto(canvas, places, size), { x: 250, y: 124, zoom: 1 })
  })

  it('is made smaller to fit, down to what can be read', () => {
    const fitted = fitInto(
      canvas,
      [
        { x: 0, y: 0 },
        { x: 0, y: 1054 },
      ],
      size,
    )
    assert.deepEqual(fitted, { x: 450, y: 24, zoom: 0.5 })
    assert.equal(
      fitInto(
        canvas,
        [
          { x: 0, y: 0 },
          { x: 0, y: 99_999 },
        ],
        size,
      ).zoom,
      0.2,
    )
  })
})
