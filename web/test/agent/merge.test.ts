import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { locate } from '../../src/agent/fields/faults.ts'
import { type FormValues, type Source, toForm } from '../../src/agent/fields/form.ts'
import { applyMerge, mergeForms } from '../../src/agent/fields/merge.ts'
import { toUpdate } from '../../src/agent/fields/update.ts'
import { mergeLines } from '../../src/shared/lines.ts'
import { sampleAgent } from './sample.ts'

function edited(change: Record<string, string>): FormValues {
  const form = toForm(sampleAgent())
  return { ...form, fields: { ...form.fields, ...change } }
}

function merge(mine: Record<string, string>, theirs: Source) {
  const others = toForm(sampleAgent(theirs))
  const rows = mergeForms(toForm(sampleAgent()), edited(mine), others)
  return { rows, outcomes: rows.map(({ path, outcome }) => `${path} ${outcome}`), others }
}

suite('lines of two people', () => {
  const cases: [string, string, string, string, string | undefined][] = [
    ['changes of different lines are both kept', 'a\nb\nc\nd', 'A\nb\nc\nd', 'a\nb\nc\nD', 'A\nb\nc\nD'],
    ['neighbouring lines ask, as in git', 'a\nb', 'A\nb', 'a\nB', undefined],
    ['an insertion and a change elsewhere', 'a\nb\nc', 'a\nb\nc\nd', 'A\nb\nc', 'A\nb\nc\nd'],
    ['the same change is taken once', 'a\nb', 'a\nB', 'a\nB', 'a\nB'],
    ['the same line asks', 'a\nb', 'a\nB', 'a\nbb', undefined],
    ['two insertions at one place ask', 'a\nb', 'a\nx\nb', 'a\ny\nb', undefined],
    ['a removed and a changed line ask', 'a\nb\nc', 'a\nc', 'a\nB\nc', undefined],
    ['a text from nothing asks', '', 'mine', 'theirs', undefined],
  ]
  for (const [name, base, mine, theirs, merged] of cases) {
    test(name, () => {
      assert.equal(mergeLines(base, mine, theirs), merged)
      assert.equal(mergeLines(base, theirs, mine), merged)
    })
  }
})

suite('rebase', () => {
  test('only a field that both changed asks', () => {
    const { outcomes } = merge(
      {
        'agent_params/max_tokens': '4096',
        agent_system_prompt: 'ONE\ntwo\nthree\nfour\nfive',
        purpose: 'Claims',
      },
      {
        agent_params: { temperature: 0.2, max_tokens: 1024, seed: 7, rag_params: { top_k: 4 } },
        agent_system_prompt: 'one\ntwo\nthree\nfour\nfive\nsix',
        rate_limit_requests_per_minute: 60,
      },
    )
    assert.deepEqual(outcomes, [
      'purpose mine',
      'rate_limit_requests_per_minute theirs',
      'agent_system_prompt both',
      'agent_params/max_tokens ask',
    ])
  })

  test('the same change by both asks nothing', () => {
    assert.deepEqual(merge({ purpose: 'Claims' }, { purpose: 'Claims' }).rows, [])
  })

  test('the body after it holds my changes on their revision and nothing else', () => {
    const theirs = { agent_params: { temperature: 0.5, max_tokens: 1024 }, hub: 'openai' } satisfies Source
    const mine = { 'agent_params/max_tokens': '4096', agent_name: 'Claims' }
    const { rows, others } = merge(mine, theirs)
    const result = applyMerge(rows, edited(mine), others, { 'agent_params/max_tokens': 'mine' })
    assert.deepEqual(toUpdate(sampleAgent(theirs), result).update, {
      agent_name: 'Claims',
      agent_params: { temperature: 0.5, max_tokens: 4096 },
    })
  })

  test('a choice of theirs drops my change', () => {
    const { rows, others } = merge({ agent_name: 'Mine' }, { agent_name: 'Theirs' })
    const result = applyMerge(rows, edited({ agent_name: 'Mine' }), others, { agent_name: 'theirs' })
    assert.deepEqual(result, others)
  })

  test('unfinished input is kept', () => {
    const { rows, others } = merge({ 'agent_params/rag_params': '{"top_k":' }, { hub: 'openai' })
    const result = applyMerge(rows, edited({ 'agent_params/rag_params': '{"top_k":' }), others, {})
    assert.equal(result.fields['agent_params/rag_params'], '{"top_k":')
  })

  test('objects are merged by member', () => {
    const change = { role: 'intake', tags: ['claims', 'at'] }
    const theirs = { agent_metadata: { ...change, cost_centre: { id: 'AT-9' }, region: 'at' } }
    const { rows } = merge({ 'agent_metadata/*': '{"cost_centre": {"id": "AT-7"}}' }, theirs)
    assert.equal(rows[0]?.outcome, 'both')
    assert.deepEqual(JSON.parse(rows[0]?.merged ?? ''), { cost_centre: { id: 'AT-7' }, region: 'at' })
  })

  test('delegated agents that both changed ask, as a whole', () => {
    const base = toForm(sampleAgent())
    const mine = { ...base, delegates: base.delegates.slice(1) }
    const theirs = toForm(sampleAgent({ delegated_agents: [] }))
    const rows = mergeForms(base, mine, theirs)
    assert.deepEqual(
      rows.map(({ path, outcome }) => `${path} ${outcome}`),
      ['delegated_agents ask'],
    )
    assert.deepEqual(applyMerge(rows, mine, theirs, {}).delegates, mine.delegates)
  })
})

suite('the place of a fault', () => {
  const cases: [(string | number)[], string | undefined, string][] = [
    [['body', 'agent_url'], 'agent_url', 'Wrong'],
    [['body', 'agent_params', 'max_tokens'], 'agent_params/max_tokens', 'Wrong'],
    [['body', 'agent_params', 'rag_params', 'top_k'], 'agent_params/rag_params', 'top_k: Wrong'],
    [['body', 'agent_params', 'seed', 'x'], 'agent_params/*', 'seed.x: Wrong'],
    [['body', 'agent_params'], 'agent_params/*', 'Wrong'],
    [['body', 'mcp_config', 'server_urls', 1], 'mcp_config/server_urls', '1: Wrong'],
    [['body', 'delegated_agents', 2, 'url'], 'delegates.2.url', 'Wrong'],
    [['body', 'delegated_agents', 0, 'weight'], 'delegates.0.rest', 'weight: Wrong'],
    [['body', 'white_box_config', 'github_token'], undefined, 'Wrong'],
    [['header', 'console-change-reason'], 'reason', 'Wrong'],
    [['header', 'if-match'], undefined, 'Wrong'],
    [['body'], undefined, 'Wrong'],
  ]
  for (const [loc, name, message] of cases) {
    test(loc.join('.'), () => {
      const fault = locate({ loc, msg: 'Value error, wrong' })
      assert.deepEqual({ name: fault.name, message: fault.message }, { name, message })
    })
  }
})
