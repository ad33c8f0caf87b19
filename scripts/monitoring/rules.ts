import { stringify } from 'yaml'
import type { Alert, Example } from './alert.ts'
import { ALERTS } from './alerts.ts'
import { recordingRules } from './objectives.ts'

const HEADER = '# Made by `npm run monitoring` from scripts/monitoring. Do not edit.\n'

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

/** The tests of the rules, for `promtool test rules`: every alert fires with one set of series, and not with another. */
export function makeRuleTests(): string {
  return write({
    rule_files: ['alerts.yaml'],
    evaluation_interval: '1m',
    tests: ALERTS.flatMap((alert) => [
      makeTest(`${alert.name} fires`, alert, alert.fires, true),
      makeTest(`${alert.name} is quiet`, alert, { series: alert.quiet, at: alert.fires.at }, false),
    ]),
  })
}

function makeTest(name: string, alert: Alert, { series, at, labels }: Example, fires: boolean) {
  const expected = {
    exp_labels: { severity: alert.severity, ...labels },
    exp_annotations: annotations(alert),
  }
  return {
    name,
    interval: '1m',
    input_series: Object.entries(series).map(([each, values]) => ({ series: each, values })),
    alert_rule_test: [{ eval_time: at, alertname: alert.name, exp_alerts: fires ? [expected] : [] }],
  }
}

function write(document: object): string {
  return HEADER + stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })
}
