import { ALERTS } from './alerts.ts'

/** The list of the alerts, which leads from each to its runbook. */
export function makeRunbookIndex(): string {
  const rows = ALERTS.map(
    ({ name, severity, summary, runbook }) =>
      `| \`${name}\` | ${severity} | ${summary} | [${runbook}](${runbook}.md) |`,
  )
  return [
    '<!-- Made by `npm run generate` from scripts/monitoring. Do not edit. -->',
    '# Runbooks',
    '',
    'One page for each problem that an alert reports: what it means, what users see, how to find the cause, how to fix it and how to',
    'prevent it. `page`: a person must act now. `ticket`: in working hours. [Monitoring](../monitoring.md) explains the objectives.',
    '',
    'The pages name commands as `npm run …` and read logs with `journalctl`. [Run a command](../deploy.md#run-a-command) shows both for',
    'systemd, containers and Kubernetes.',
    '',
    '| alert | severity | what happened | runbook |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}
