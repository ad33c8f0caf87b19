import { stringify } from 'yaml'
import type { Alert } from './alert.ts'
import { ALERTS } from './alerts.ts'
import { recordingRules } from './objectives.ts'

const HEADER = '# Made by `npm run generate` from scripts/monitoring. Do not edit.\n'

const annotations = ({ summary, runbook }: Alert) => ({ summary, runbook: `docs/runbooks/${runbook}.md` })

/** The rules of Prometheus: the ratios of the objectives, and the alerts. */
export function makeRules(): string {
  return write({
    groups: [
      { name: 'agent-console-objectives', interval: '1m', rules: recordingRules() },
      {
        name: 'agent-console-alerts',
        rules: ALERTS.map((alert) => ({
          alert: alert.name,
          expr: alert.expr,
          for: alert.for,
          labels: { severity: alert.severity },
          annotations: annotations(alert),
        })),
      },
    ],
  })
}

/** The tests of the rules, for `promtool test rules`: every alert fires with series of its own, and none with those of a
 * console that works. */
export function makeRuleTests(): string {
  const healthy = Object.assign({}, ...ALERTS.map(({ quiet }) => quiet)) as Record<string, string>
  return write({
    rule_files: ['alerts.yaml'],
    evaluation_interval: '1m',
    tests: [
      ...ALERTS.map((alert) => makeTest(`${alert.name} fires`, alert.fires.series, [check(alert, true)])),
      makeTest(
        'No alert fires while the console works',
        healthy,
        ALERTS.map((alert) => check(alert, false)),
      ),
    ],
  })
}

function makeTest(name: string, series: Record<string, string>, checks: object[]) {
  return {
    name,
    interval: '1m',
    input_series: Object.entries(series).map(([each, values]) => ({ series: each, values })),
    alert_rule_test: checks,
  }
}

function check(alert: Alert, fires: boolean) {
  const { at, labels } = alert.fires
  const expected = {
    exp_labels: { severity: alert.severity, ...labels },
    exp_annotations: annotations(alert),
  }
  return { eval_time: at, alertname: alert.name, exp_alerts: fires ? [expected] : [] }
}

function write(document: object): string {
  return HEADER + stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })
}
