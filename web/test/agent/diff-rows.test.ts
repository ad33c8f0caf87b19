import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diffRows } from '../../src/agent/history/diff-rows.ts'
import { compareLines, countLines, pairLines } from '../../src/shared/lines.ts'

test('objects are compared by member, and equal members are left out', () => {
  const old = { temperature: 0.7, max_tokens: 100, rag_params: { k: 1 } }
  const now = { temperature: 0.2, max_tokens: 100, top_p: 0.9, rag_params: { k: 2 } }
  assert.deepEqual(diffRows([{ field: 'agent_params', old, new: now }]), [
    { path: 'agent_params.rag_params.k', before: 1, after: 2, secret: false },
    { path: 'agent_params.temperature', before: 0.7, after: 0.2, secret: false },
    { path: 'agent_params.top_p', before: null, after: 0.9, secret: false },
  ])
})

test('lists are compared as a whole, and so are an empty object and none', () => {
  const rows = diffRows([
    { field: 'delegated_agents', old: [{ url: 'a' }], new: [] },
    { field: 'mcp_config', old: null, new: {} },
  ])
  assert.deepEqual(
    rows.map(({ path, after }) => [path, after]),
    [
      ['delegated_agents', []],
      ['mcp_config', {}],
    ],
  )
})

test('a secret is a row of its own, whatever its masks are', () => {
  const mask = '********4a39'
  const rows = diffRows([
    { field: 'api_key', old: mask, new: mask },
    { field: 'secrets.crm', old: null, new: mask },
    {
      field: 'white_box_config',
      old: { repo_url: 'a', github_token: mask },
      new: { repo_url: 'b', github_token: '********b702' },
    },
  ])
  assert.deepEqual(
    rows.map(({ path, secret }) => [path, secret]),
    [
      ['api_key', true],
      ['secrets.crm', true],
      ['white_box_config.github_token', true],
      ['white_box_config.repo_url', false],
    ],
  )
})

test('a token that was replaced by one with the same mask is listed', () => {
  const config = { repo_url: 'a', github_token: '********' }
  assert.deepEqual(diffRows([{ field: 'white_box_config', old: config, new: { ...config } }]), [
    { path: 'white_box_config.github_token', before: '********', after: '********', secret: true },
  ])
})

test('hidden equal lines stay with their gap, and changed lines stand beside each other', () => {
  const blocks = compareLines('1\n2\n3\n4\nfive old', '1\n2\n3\n4\nfive new\nsix')
  const [gap, change] = blocks
  assert.ok(gap !== undefined && 'gap' in gap && change !== undefined && 'lines' in change)
  assert.deepEqual([gap.gap, gap.hidden.length], [3, 3])
  assert.deepEqual([countLines(blocks, 'add'), countLines(blocks, 'del')], [2, 1])
  assert.deepEqual(
    pairLines(change.lines).map(([old, now]) => [old?.number, now?.number]),
    [
      [4, 4],
      [5, 5],
      [undefined, 6],
    ],
  )
})
