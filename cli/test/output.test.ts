import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Agent, AuditEvent } from '@agent-console/sdk'
import { diffLines } from '../src/agents/line-diff.ts'
import { agentResult } from '../src/agents/show.ts'
import { renderDiff } from '../src/commands/agents-diff.ts'
import { renderEvents } from '../src/commands/audit.ts'
import type { Plan, PlannedChange } from '../src/config-as-code/plan-types.ts'
import { renderPlan } from '../src/config-as-code/print-plan.ts'
import { diffWords } from '../src/config-as-code/word-diff.ts'
import { renderOpenObject } from '../src/output/open-object.ts'
import { oneLine, severalLines } from '../src/output/safe-text.ts'
import { createStyle } from '../src/output/style.ts'
import { type Column, renderPairs, renderTable } from '../src/output/table.ts'
import { absoluteTime, relativeTime } from '../src/output/time.ts'
import { cut, widthOf } from '../src/output/width.ts'
import { wrap, wrapMessage } from '../src/output/wrap.ts'
import { runCli, useFolder } from './support/cli.ts'

const NOW = 1_800_000_000_000
const SECONDS = NOW / 1_000

const styleOf = (columns: number | undefined, env: Record<string, string> = {}, isColourless = true) =>
  createStyle(
    { isTerminal: columns !== undefined, columns, write: () => {} },
    { env, now: () => NOW },
    isColourless,
  )

describe('text', () => {
  it('has the width that a terminal gives it', () => {
    const widths: [string, number][] = [
      ['plain', 5],
      ['café', 4],
      ['cafe\u0301', 4],
      ['日本語', 6],
      ['👩‍🚀', 2],
      ['🇳🇴 ok', 5],
      ['ｆｕｌｌ', 8],
      ['\u200b', 0],
      ['', 0],
    ]
    for (const [text, width] of widths) assert.equal(widthOf(text), width, text)
  })

  it('is cut with an ellipsis, never in the middle of a character', () => {
    assert.equal(cut('Invoice helper', 14), 'Invoice helper')
    assert.equal(cut('Invoice helper', 9), 'Invoice…')
    assert.equal(cut('日本語のエージェント', 8), '日本語…')
    assert.equal(cut('👩‍🚀👩‍🚀👩‍🚀', 4), '👩‍🚀…')
    assert.equal(cut('abc', 1), '…')
    for (let width = 1; width < 12; width++) assert.ok(widthOf(cut('a日👩‍🚀é本語 b', width)) <= width)
  })

  it('cannot control the terminal', () => {
    assert.equal(oneLine('a\u001b[31mb\nc\u009bd\u202e'), 'a�[31mb c�d�')
    assert.equal(severalLines('a\u001b]0;x\u0007\r\nb\tc'), 'a�]0;x�\nb  c')
  })
})

describe('a table', () => {
  interface Row {
    name: string
    state: string
    id: string
  }
  const rows: Row[] = [
    { name: 'Invoice helper of the accounting department', state: 'active', id: '0'.repeat(20) },
    { name: '請求書ヘルパー', state: 'draft', id: '1'.repeat(20) },
  ]
  const columns: Column<Row>[] = [
    { title: 'NAME', value: ({ name }) => name, minWidth: 12 },
    { title: 'STATE', value: ({ state }) => state, colour: () => 'green' },
    { title: 'ID', value: ({ id }) => id, omitFirst: 1 },
  ]

  it('is as wide as its text where there is no terminal', () => {
    const [head = '', first = '', second = ''] = renderTable(rows, columns, styleOf(undefined)).split('\n')
    assert.match(first, /department {2}active {2}0{20}$/)
    // Wide characters take two columns: the texts do not align, their widths do.
    const column = widthOf(head.slice(0, head.indexOf('STATE')))
    assert.equal(widthOf(first.slice(0, first.indexOf('active'))), column)
    assert.equal(widthOf(second.slice(0, second.indexOf('draft'))), column)
  })

  it('fits every terminal', () => {
    for (const width of [20, 24, 40, 60, 80, 140]) {
      const text = renderTable(rows, columns, styleOf(width))
      for (const line of text.split('\n')) assert.ok(widthOf(line) <= width, `${width}: ${line}`)
      assert.equal(text.includes('ID'), width >= 12 + 2 + 6 + 2 + 20)
    }
    assert.match(renderTable(rows, columns, styleOf(40)), /^Invoice helper .*… {2}active$/m)
  })

  it('has colours on a terminal only, and none with NO_COLOR, a dumb terminal or --no-color', () => {
    const text = (...given: Parameters<typeof styleOf>) => renderTable(rows, columns, styleOf(...given))
    assert.ok(text(80, {}, false).includes('\u001b[32mactive\u001b[39m'))
    assert.ok(text(80, { NO_COLOR: '' }, false).includes('\u001b['))
    for (const plain of [
      text(undefined, {}, false),
      text(80, { NO_COLOR: '1' }, false),
      text(80, { TERM: 'dumb' }, false),
      text(80, {}, true),
    ]) {
      assert.ok(!plain.includes('\u001b'))
    }
  })

  it('colours errors in the same way', async () => {
    assert.ok((await runCli(['nothing'], { columns: 80 })).stderr.startsWith('\u001b[31merror:'))
    for (const ran of [
      await runCli(['nothing'], { columns: 80, env: { NO_COLOR: '1' } }),
      await runCli(['nothing', '--no-color'], { columns: 80 }),
      await runCli(['nothing']),
    ]) {
      assert.match(ran.stderr, /^error:/)
    }
  })
})

describe('a list of audit events', () => {
  const event = {
    ...{
      at: SECONDS,
      user_id: 'u',
      changed_by_name: 'Priya Raghunathan',
      action: 'agent_updated',
      via: 'api',
    },
    ...{ agent_id: '0'.repeat(36), reason: 'Fewer surprises' },
  } as AuditEvent

  it('has the agent before the reason, unless all are of one agent', () => {
    const [head = '', row = ''] = renderEvents([event], styleOf(80)).split('\n')
    assert.match(head, /^WHEN +USER +ACTION +AGENT$/)
    assert.ok(row.endsWith(event.agent_id ?? '-'), row)
    assert.match(
      renderEvents([event], styleOf(80), true),
      /^WHEN +USER +ACTION +VIA +REASON\n.*Fewer surprises$/,
    )
    assert.ok(renderEvents([event], styleOf(80, {}, false)).includes('\u001b[34magent_updated'))
  })
})

describe('an object of another service', () => {
  const id = '0'.repeat(36)
  const status = {
    ...{ state: 'awaiting_approval', updated_at: SECONDS - 60, kind: 'constructor' },
    proposals: [
      { id, field: 'agent_params.temperature', fitness: 0.91, verdict: 'accepted', created_at: SECONDS },
    ],
  }

  it('has names of fields before ids on a narrow terminal, and colours of states', () => {
    assert.match(
      renderOpenObject(status, styleOf(80)),
      /^FIELD +FITNESS +VERDICT +CREATED_AT\nagent_params\.temperature /m,
    )
    assert.match(renderOpenObject(status, styleOf(140)), /^ID +FIELD +FITNESS +VERDICT +CREATED_AT$/m)
    const coloured = renderOpenObject(status, styleOf(80, {}, false))
    assert.ok(coloured.includes('\u001b[33mawaiting_approval\u001b[39m'))
    assert.ok(coloured.includes('\u001b[32maccepted\u001b[39m'))
    assert.ok(coloured.includes('  constructor\n'))
  })
})

describe('names and values', () => {
  it('are shown whole, also without spaces, and fit the terminal', () => {
    const prompt = '不要承诺退款，也不要猜测金额。'.repeat(20)
    const url = `https://agents.example/${'path/'.repeat(40)}`
    for (const width of [30, 80, 140]) {
      const text = renderPairs(
        [
          ['agent_system_prompt', prompt],
          ['agent_url', url],
          ['status', 'under_review', 'yellow'],
        ],
        styleOf(width, {}, false),
      )
      // oxlint-disable-next-line no-control-regex -- the colours
      const plain = text.replaceAll(/\u001b\[\d+m/g, '')
      if (width > 30) for (const line of plain.split('\n')) assert.ok(widthOf(line) <= width, line)
      assert.ok(plain.replaceAll(/\n +/g, '').includes(prompt))
      assert.ok(plain.replaceAll(/\n +/g, '').includes(url))
      assert.ok(text.endsWith('\u001b[33munder_review\u001b[39m'))
    }
  })
})

describe('the fields of an agent', () => {
  it('have their whole descriptions on a terminal', async () => {
    const { stdout } = await runCli(['schema', 'agent', '-o', 'table'], {
      columns: 80,
      env: { NO_COLOR: '1' },
    })
    for (const line of stdout.split('\n')) assert.ok(widthOf(line) <= 80, line)
    assert.ok(!stdout.includes('…'))
    assert.match(stdout, /^agent_url +string or null\n +Endpoint URL of the agent\. /m)
  })
})

describe('a line', () => {
  it('is broken at spaces, and in a word that is too wide', () => {
    assert.deepEqual(wrap('one two three', 8), ['one two', 'three'])
    assert.deepEqual(wrap('see https://a.example/b now', 10), ['see', 'https://a.', 'example/b', 'now'])
    assert.deepEqual(wrap('日本語です', 5), ['日本', '語で', 'す'])
    assert.deepEqual(wrap('  - an item', 20), ['  - an item'])
    assert.deepEqual(wrap('  - an item of a list', 13), ['  - an item', '  of a list'])
    assert.deepEqual(wrap(`${' '.repeat(30)}deep`, 8), ['    deep'])
  })
})

describe('a message', () => {
  it('is broken at spaces on a terminal, and keeps its indentation', () => {
    const text = 'The files have 2 faults:\n  agents/a.yaml:8: the secret is not set'
    assert.equal(
      wrapMessage(text, 24),
      'The files have 2 faults:\n  agents/a.yaml:8: the\n  secret is not set',
    )
    assert.equal(wrapMessage(text, undefined), text)
  })

  it('keeps a command whole, so that it can be copied', () => {
    const text = 'There is no login. Run: agent-console login --url https://console.example.com'
    assert.equal(
      wrapMessage(text, 40),
      'There is no login. Run:\nagent-console login --url https://console.example.com',
    )
    assert.equal(wrapMessage(text, 80), text)
    assert.equal(wrapMessage('agent-console.yaml is missing', 20), 'agent-console.yaml\nis missing')
  })

  it('fits the terminal, if it is an error or a note', async () => {
    for (const argv of [['plan'], ['agents', 'list'], ['agents', 'lst']]) {
      const { stderr } = await runCli(argv, { columns: 70, env: { NO_COLOR: '1' } })
      assert.match(stderr, /^error: /)
      for (const line of stderr.split('\n')) assert.ok(widthOf(line) <= 70, line)
    }
    const cwd = await useFolder()
    const { stderr } = await runCli(['init', 'payments'], { columns: 40, cwd })
    assert.equal(stderr, 'No console is named: add url, or set\nAGENT_CONSOLE_URL.\n')
  })
})

describe('a time', () => {
  it('is relative on a terminal', () => {
    const times: [number, string][] = [
      [0, 'just now'],
      [59, 'just now'],
      [60, '1 min ago'],
      [3_599, '59 min ago'],
      [3_600 * 5, '5 h ago'],
      [86_400 * 3, '3 d ago'],
      [86_400 * 65, '2 mo ago'],
      [86_400 * 800, '2 y ago'],
      [-600, 'in 10 min'],
      [-5, 'in under a min'],
    ]
    for (const [before, text] of times) assert.equal(relativeTime(SECONDS - before, NOW), text)
    assert.equal(styleOf(80).time(SECONDS - 60), '1 min ago')
  })

  it('is absolute elsewhere', () => {
    assert.equal(styleOf(undefined).time(SECONDS), '2027-01-15T08:00:00Z')
    assert.equal(absoluteTime(9_007_199_254_740_991), '9007199254740991')
    assert.equal(styleOf(undefined).time(null), '')
  })

  it('of one agent is both on a terminal', () => {
    const agent = { id: 'x', created_at: SECONDS - 3_600 } as Agent
    const { render } = agentResult({ agent, revision: 1 })
    assert.ok(render(styleOf(80)).endsWith('created_at  2027-01-15T07:00:00Z, 1 h ago'))
    assert.ok(render(styleOf(undefined)).endsWith('created_at  2027-01-15T07:00:00Z'))
  })
})

describe('a difference of texts', () => {
  const show = (before: string, after: string) =>
    diffLines(before, after).map(({ sign, text }) => `${sign}${text}`)

  it('has the changed lines, with some lines around them', () => {
    const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].join('\n')
    assert.deepEqual(show(before, before.replace('d', 'D')), [' …', ' b', ' c', '-d', '+D', ' e', ' f', ' …'])
    assert.deepEqual(show('one', 'two'), ['-one', '+two'])
    assert.deepEqual(show('a\nb', 'a\nx\nb'), [' a', '+x', ' b'])
  })

  it('of two long texts without a common line is bounded', () => {
    const [before, after] = ['a', 'b'].map((letter) =>
      Array.from({ length: 5_000 }, (_, index) => `${letter}${index}`).join('\n'),
    )
    assert.equal(show(before ?? '', after ?? '').length, 10_000)
  })
})

describe('a difference of revisions', () => {
  const diff = {
    ...{ revision: 2, against: 1 },
    changes: [
      { field: 'purpose', old: 'Short', new: 'A purpose with so many words that it needs a second line' },
      { field: 'agent_params', old: { stop: [] }, new: { stop: ['END'] } },
      { field: 'trusted_at', old: null, new: SECONDS },
    ],
  }

  it('has times that people can read', () => {
    assert.ok(renderDiff(diff, styleOf(undefined)).endsWith('trusted_at\n  - null\n  + 2027-01-15T08:00:00Z'))
  })

  it('is broken at spaces on a terminal, below its sign and in its colour', () => {
    const shown = renderDiff(diff, styleOf(40, {}, false))
    const [first, second] = ['  + A purpose with so many words that it', '    needs a second line']
    assert.ok(shown.includes(`\u001b[32m${first}\u001b[39m\n\u001b[32m${second}\u001b[39m\n`), shown)
    assert.ok(renderDiff(diff, styleOf(40)).includes('\n  -   "stop": []\n'))
    assert.ok(!renderDiff(diff, styleOf(undefined)).includes(second))
  })
})

describe('a difference of words', () => {
  const show = (before: string, after: string, width = 200) =>
    diffWords(before, after, width, styleOf(undefined))

  it('marks what was removed and added, without the spaces around it', () => {
    assert.deepEqual(show('a b c', 'a x c'), ['a [-b-]{+x+} c'])
    assert.deepEqual(show('one two', 'one two three'), ['one two {+three+}'])
    assert.deepEqual(show('about notes and terms', 'about notes, refunds and terms'), [
      'about notes{+, refunds +}and terms',
    ])
    assert.deepEqual(show('a b c d', 'a x y d'), ['a [-b c-]{+x y+} d'])
    assert.deepEqual(show('', 'new'), ['{+new+}'])
    assert.deepEqual(show('a\nb', 'a\nc'), ['a', '[-b-]{+c+}'])
  })

  it('leaves out what is far from a change', () => {
    const words = Array.from({ length: 60 }, (_, index) => `w${index}`)
    const [line = ''] = show(words.join(' '), words.toSpliced(30, 1, 'new').join(' '))
    assert.match(line, /^… w24 .* w29 \[-w30-\]\{\+new\+\} w31 .* w36 …$/)
  })

  it('fits the terminal, and goes on with the colour in the next line', () => {
    const long = Array.from({ length: 30 }, (_, index) => `word${index}`).join(' ')
    for (const line of show('other', long, 60)) assert.ok(widthOf(line) <= 60, line)
    const coloured = diffWords('other', long, 60, styleOf(60, {}, false))
    assert.ok(coloured.length > 2)
    for (const line of show('短', '不要承诺退款。'.repeat(20), 60)) assert.ok(widthOf(line) <= 60, line)
    for (const line of coloured) assert.ok(line.includes('\u001b[32m'), line)
  })
})

describe('a plan', () => {
  const change = (field: string, old: unknown, value: unknown): PlannedChange => ({
    ...{ field, old, new: value, drifted: false, changed_by: null, changed_at: null },
  })
  const item = {
    ...{ key: 'helper', file: 'agents/helper.yaml', agent_id: 'x', revision: 1 },
    ...{ secrets: [], taken: [], released: [], reason: null },
  }
  const planOf = (changes: PlannedChange[], action: 'create' | 'update' = 'update'): Plan => ({
    ...{ set: 'set', url: 'https://console.example.com', unchanged: [], withoutFile: [] },
    items: [{ ...item, action, changes }],
  })

  it('shows the members of an object that change', () => {
    const before = { temperature: 0.2, top_p: 1, rag: { k: 5, index: 'a' } }
    const text = renderPlan(
      planOf([
        change('agent_params', before, { temperature: 0.7, top_p: 1, rag: { k: 8, index: 'a' }, own: 1 }),
      ]),
      styleOf(undefined),
    )
    assert.match(
      text,
      /\n {4}agent_params\.temperature {2}0\.2 → 0\.7\n {4}agent_params\.rag\.k +5 → 8\n {4}agent_params\.own +1\n/,
    )
  })

  it('aligns the files, and puts one that does not fit into its own line', () => {
    const keys = ['a', 'longer-key', 'k'.repeat(63)]
    const items = keys.map((key) => ({
      ...item,
      ...{ key, file: `agents/${key}.yaml`, action: 'update' as const, changes: [] },
      taken: Array.from({ length: 12 }, (_, index) => `field_${index}`),
    }))
    const shown = renderPlan({ ...planOf([]), items }, styleOf(80))
    for (const line of shown.split('\n')) assert.ok(widthOf(line) <= 80, line)
    assert.match(shown, /^~ update {2}a {11}agents\/a\.yaml$/m)
    assert.match(shown, /^~ update {2}longer-key {2}agents\/longer-key\.yaml$/m)
    assert.match(shown, /^~ update {2}k{63}\n {4}agents\/k{63}\.yaml$/m)
    const elsewhere = renderPlan({ ...planOf([]), items }, styleOf(undefined))
    assert.match(elsewhere, /^~ update {2}a {64}agents\/a\.yaml$/m)
  })

  it('fits every terminal, and controls none', () => {
    const text = 'A text with many words that is as long as a paragraph. '.repeat(4)
    const changes = [
      change('purpose', text, text.replace('many', 'a lot of')),
      change('hub', 'a\u001b[31m', 'b'),
    ]
    for (const width of [60, 80, 140]) {
      for (const action of ['create', 'update'] as const) {
        const plan = planOf(changes, action)
        const items = plan.items.map((each) => ({ ...each, file: 'agents/\u001b[31m.yaml' }))
        const shown = renderPlan({ ...plan, items }, styleOf(width))
        for (const line of shown.split('\n')) assert.ok(widthOf(line) <= width, `${width}: ${line}`)
        assert.ok(!shown.includes('\u001b'))
      }
    }
  })
})
