import type { Alert } from '../alert.ts'
import { burns, FAST_BURNS, OBJECTIVES, SLOW_BURNS } from '../objectives.ts'

const requests = 'console_http_request_duration_seconds'
const route = 'method="GET",route="/v1/agent-configurations/:id"'

/** For each objective series with 20 % of bad events, and with at most 0.1 %. */
const BAD_EVENTS: Record<string, { fires: Record<string, string>; quiet: Record<string, string> }> = {
  availability: {
    fires: {
      [`${requests}_count{${route},status="200"}`]: '0+80x200',
      [`${requests}_count{${route},status="503"}`]: '0+20x200',
    },
    quiet: {
      [`${requests}_count{${route},status="200"}`]: '0+9999x200',
      [`${requests}_count{${route},status="503"}`]: '0+1x200',
      [`${requests}_count{method="POST",route="/v1/genomes/",status="503",upstream="evolution"}`]:
        '0+5000x200',
      [`${requests}_count{method="GET",route="/health/ready",status="503"}`]: '0+5000x200',
    },
  },
  latency: {
    fires: {
      [`${requests}_count{${route},status="200"}`]: '0+100x200',
      [`${requests}_bucket{${route},status="200",le="0.5"}`]: '0+80x200',
    },
    quiet: {
      [`${requests}_count{${route},status="200"}`]: '0+9999x200',
      [`${requests}_bucket{${route},status="200",le="0.5"}`]: '0+9990x200',
    },
  },
  delivery: {
    fires: {
      console_event_delivery_seconds_count: '0+100x200',
      'console_event_delivery_seconds_bucket{le="5"}': '0+80x200',
    },
    quiet: {
      console_event_delivery_seconds_count: '0+1000x200',
      'console_event_delivery_seconds_bucket{le="5"}': '0+999x200',
    },
  },
}

const capitalised = (text: string) => `${text[0]?.toUpperCase()}${text.slice(1)}`

/** Two alerts for each objective. */
export const objectiveAlerts: Alert[] = OBJECTIVES.flatMap((objective) => {
  const { name, title, runbook } = objective
  const { fires = {}, quiet = {} } = BAD_EVENTS[name] ?? {}
  return [
    {
      name: `Console${capitalised(name)}BurnFast`,
      expr: burns(objective, FAST_BURNS),
      for: '2m',
      severity: 'page',
      summary: `The error budget is used up in days: ${title}.`,
      ...{ runbook, quiet, fires: { series: fires, at: '20m' } },
    },
    {
      name: `Console${capitalised(name)}BurnSlow`,
      expr: burns(objective, SLOW_BURNS),
      for: '1h',
      severity: 'ticket',
      summary: `The error budget is used up before the end of its 30 days: ${title}.`,
      ...{ runbook, quiet, fires: { series: fires, at: '100m' } },
    },
  ]
})
