import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, parse } from 'node:path'
import { describe, it } from 'node:test'
import { parse as parseYaml, stringify } from 'yaml'
import { DASHBOARDS, makeDashboards } from '../../scripts/monitoring/dashboards.ts'
import { NO_PROMTOOL, promtool } from '../support/promtool.ts'
import { knownMetrics, labelsOf, metricsOf } from './expressions.ts'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'deploy/prometheus')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

interface Rule {
  alert?: string
  record?: string
  expr: string
  labels?: { severity: string }
  annotations?: { runbook: string; summary: string }
}
interface RuleTest {
  name: string
  alert_rule_test: { alertname: string; exp_alerts: unknown[] }[]
}

const { groups } = parseYaml(read('deploy/prometheus/alerts.yaml')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const alerts = rules.filter(({ alert }) => alert !== undefined)
const { tests } = parseYaml(read('deploy/prometheus/alerts.test.yaml')) as { tests: RuleTest[] }
const runbooks = globSync('docs/runbooks/!(README).md', { cwd: root })
const queries = Object.values(DASHBOARDS)
  .flatMap(({ rows }) => Object.values(rows).flat())
  .flatMap((panel) => panel.queries)
const known = knownMetrics()

/** Metrics and labels of an expression that the console does not have. Recording rules are ours. */
const unknownNames = (expr: string): string[] => {
  const metrics = metricsOf(expr)
  const labels = new Set(metrics.flatMap((name) => known.get(name) ?? []))
  return [
    ...metrics.filter((name) => !known.has(name)),
    ...(metrics.length === 0 ? [] : labelsOf(expr).filter((label) => !labels.has(label))),
  ]
}

describe('the alerts', () => {
  it('pass promtool, which tests each with series', { skip: NO_PROMTOOL }, () => {
    assert.match(promtool(folder, 'check', 'rules', 'alerts.yaml').output, /SUCCESS/)
    const { status, output } = promtool(folder, 'test', 'rules', 'alerts.test.yaml')
    assert.equal(status, 0, output)
  })

  it('fire in one test each, and stay quiet in another', () => {
    const checks = tests.flatMap(({ alert_rule_test }) => alert_rule_test)
    for (const { alert = '' } of alerts) {
      const expected = checks
        .filter(({ alertname }) => alertname === alert)
        .map((check) => check.exp_alerts.length)
      assert.deepEqual(new Set(expected), new Set([0, 1]), alert)
      assert.equal(expected.length, 2, alert)
    }
  })

  it('read metrics and labels that exist', () => {
    const unknown = rules.flatMap(({ expr }) => unknownNames(expr))
    assert.deepEqual(unknown, [])
    assert.deepEqual(unknownNames('sum by (tema) (console_refusal_total{lane="x"})').toSorted(), [
      'console_refusal_total',
      'lane',
      'tema',
    ])
  })

  it('name a runbook that exists and names them, and no runbook is without an alert', () => {
    const named = new Map(alerts.map(({ alert = '', annotations }) => [alert, annotations?.runbook ?? '']))
    for (const [alert, runbook] of named)
      assert.ok(read(runbook).includes(`\`${alert}\``), `${runbook}: ${alert}`)
    assert.deepEqual(runbooks.toSorted(), [...new Set(named.values())].toSorted())
  })
})

describe('the runbooks', () => {
  it('are in a list that has a row for each alert', () => {
    const rows = alerts.map(({ alert, labels, annotations }) => {
      const [, page = ''] = /^docs\/runbooks\/(.+)\.md$/.exec(annotations?.runbook ?? '') ?? []
      return `| \`${alert}\` | ${labels?.severity} | ${annotations?.summary} | [${page}](${page}.md) |`
    })
    const listed = read('docs/runbooks/README.md').match(/^\| `.+$/gm)
    assert.deepEqual(listed, rows)
  })

  it('have the same five parts', () => {
    const parts = ['What it means', 'What users see', 'Find the cause', 'Fix it', 'Prevent it']
    for (const page of runbooks) {
      const titles = [...read(page).matchAll(/^## (.+)$/gm)].map(([, title]) => title)
      assert.deepEqual(titles, parts, page)
    }
  })

  it('name only alerts and metrics that exist', () => {
    const names = alerts.map(({ alert }) => alert)
    for (const page of runbooks) {
      const text = read(page)
      const unknownAlerts = [...text.matchAll(/`(Console[A-Z]\w+)`/g)].filter(
        ([, name]) => !names.includes(name),
      )
      assert.deepEqual(
        unknownAlerts.map(([name]) => name),
        [],
        page,
      )
      const unknownMetrics = metricsOf(text).filter((name) => !known.has(name))
      assert.deepEqual(unknownMetrics, [], page)
    }
  })
})

describe('the dashboards', () => {
  it('are what the code makes', () => {
    for (const [file, text] of Object.entries(makeDashboards())) assert.equal(read(file), text, file)
  })

  it('have queries that promtool can parse', { skip: NO_PROMTOOL }, (t) => {
    const temporary = mkdtempSync(join(tmpdir(), 'console-queries-'))
    t.after(() => rmSync(temporary, { recursive: true }))
    const check = (expressions: string[]) => {
      const all = expressions.map((expr, index) => ({
        record: `query:number:${index}`,
        expr: expr.replaceAll('$__rate_interval', '5m'),
      }))
      writeFileSync(join(temporary, 'queries.yaml'), stringify({ groups: [{ name: 'queries', rules: all }] }))
      return promtool(temporary, 'check', 'rules', 'queries.yaml')
    }
    const { status, output } = check(queries.map(({ expr }) => expr))
    assert.equal(status, 0, output)
    assert.equal(check(['sum by (of) (rate(console_refusals_total[5m])']).status, 1, 'a bracket is missing')
  })

  it('read metrics and labels that exist', () => {
    assert.deepEqual(
      queries.flatMap(({ expr }) => unknownNames(expr)),
      [],
    )
  })

  it('show every metric of the console', () => {
    const shown = new Set(queries.flatMap(({ expr }) => metricsOf(expr)))
    const missing = [...known.keys()].filter((name) => name.startsWith('console_') && !shown.has(name))
    assert.deepEqual(missing, [])
  })

  it('have panels that do not overlap', () => {
    for (const file of globSync('deploy/grafana/*.json', { cwd: root })) {
      const { panels, uid } = JSON.parse(read(file)) as {
        uid: string
        panels: { id: number; gridPos: { x: number; y: number; w: number; h: number } }[]
      }
      assert.equal(uid, `agent-console-${parse(file).name}`)
      assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
      const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
      )
      assert.equal(new Set(cells).size, cells.length, file)
    }
  })
})
