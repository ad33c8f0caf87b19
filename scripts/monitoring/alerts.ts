import type { Alert } from './alert.ts'
import { burns, FAST_BURNS, OBJECTIVES, SLOW_BURNS } from './objectives.ts'

const api = { instance: 'a:9464', job: 'agent-console' }
const labels = 'instance="a:9464",job="agent-console"'
const requests = 'console_http_request_duration_seconds'
const route = 'method="GET",route="/v1/agent-configurations/:id"'

/** For each objective what uses its budget at 20 % and at 0.1 % of all events. */
const BAD_EVENTS: Record<string, { fires: Record<string, string>; quiet: Record<string, string> }> = {
  availability: {
    fires: {
      [`${requests}_count{${route},status="200"}`]: '0+80x200',
      [`${requests}_count{${route},status="503"}`]: '0+20x200',
    },
    quiet: {
      [`${requests}_count{${route},status="200"}`]: '0+9999x200',
      [`${requests}_count{${route},status="503"}`]: '0+1x200',
      [`${requests}_count{method="POST",route="/v1/genomes/",status="502"}`]: '0+5000x200',
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

const objectiveAlerts: Alert[] = OBJECTIVES.flatMap((objective) => {
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

const causeAlerts: Alert[] = [
  {
    name: 'ConsoleDown',
    expr: 'up{job=~"agent-console.*"} == 0',
    for: '2m',
    severity: 'page',
    summary: 'Prometheus cannot read the metrics of a process.',
    runbook: 'down',
    fires: { series: { [`up{${labels}}`]: '0x30' }, at: '5m', labels: api },
    quiet: { [`up{${labels}}`]: '1x30' },
  },
  {
    name: 'ConsoleAbsent',
    expr: 'absent(up{job="agent-console"})',
    for: '5m',
    severity: 'page',
    summary: 'Prometheus knows no process of the console.',
    runbook: 'down',
    fires: { series: { 'up{job="other"}': '1x30' }, at: '10m', labels: { job: 'agent-console' } },
    quiet: { [`up{${labels}}`]: '1x30' },
  },
  {
    name: 'ConsoleDatabaseNotUp',
    expr: 'console_database_state{state="up"} == 0',
    for: '1m',
    severity: 'page',
    summary: 'A process finds the database down, read-only or without a migration.',
    runbook: 'database',
    fires: {
      series: { [`console_database_state{${labels},state="up"}`]: '1x5 0x20' },
      at: '8m',
      labels: { ...api, state: 'up' },
    },
    quiet: { [`console_database_state{${labels},state="up"}`]: '1x30' },
  },
  {
    name: 'ConsoleDatabaseConnectionsFail',
    expr: 'sum by (instance, pool) (rate(console_database_connection_errors_total{kind="refused"}[5m])) > 0.05',
    for: '5m',
    severity: 'ticket',
    summary: 'A process cannot open connections to the database.',
    runbook: 'database-connections',
    fires: {
      series: {
        [`console_database_connection_errors_total{${labels},pool="requests",kind="refused"}`]: '0+30x30',
      },
      at: '15m',
      labels: { instance: 'a:9464', pool: 'requests' },
    },
    quiet: { [`console_database_connection_errors_total{${labels},pool="requests",kind="refused"}`]: '3x30' },
  },
  {
    name: 'ConsoleDatabaseOverloaded',
    expr: 'sum by (lane) (rate(console_refusals_total{cause="overloaded"}[5m])) > 0.1',
    for: '10m',
    severity: 'page',
    summary: 'Requests get 503 because all places at the database are taken.',
    runbook: 'overloaded',
    fires: {
      series: { [`console_refusals_total{${labels},lane="writes",cause="overloaded"}`]: '0+60x60' },
      at: '20m',
      labels: { lane: 'writes' },
    },
    quiet: { [`console_refusals_total{${labels},lane="writes",cause="own_share"}`]: '0+60x60' },
  },
  {
    name: 'ConsoleTeamFloods',
    expr: 'sum by (lane) (rate(console_refusals_total{cause="own_share"}[15m])) > 5',
    for: '15m',
    severity: 'ticket',
    summary: 'A team sends far more requests than its share, and gets 429.',
    runbook: 'team-floods',
    fires: {
      series: { [`console_refusals_total{${labels},lane="reads",cause="own_share"}`]: '0+600x60' },
      at: '40m',
      labels: { lane: 'reads' },
    },
    quiet: { [`console_refusals_total{${labels},lane="reads",cause="own_share"}`]: '0+60x60' },
  },
  {
    name: 'ConsoleUpstreamBreakerOpen',
    expr: 'max by (upstream) (max_over_time(console_upstream_breaker_state{state="open"}[1m])) == 1',
    for: '2m',
    severity: 'page',
    summary: 'The circuit breaker of an upstream is open: its calls get 503.',
    runbook: 'upstream',
    fires: {
      series: { [`console_upstream_breaker_state{${labels},upstream="evolution",state="open"}`]: '1x30' },
      at: '5m',
      labels: { upstream: 'evolution' },
    },
    quiet: { [`console_upstream_breaker_state{${labels},upstream="evolution",state="open"}`]: '0x30' },
  },
  {
    name: 'ConsoleUpstreamFails',
    expr:
      'sum by (upstream) (rate(console_upstream_call_duration_seconds_count{outcome=~"unreachable|cut_off|deadline|too_large|server_error"}[10m])) / ' +
      '(sum by (upstream) (rate(console_upstream_call_duration_seconds_count[10m])) > 0) > 0.1',
    for: '10m',
    severity: 'ticket',
    summary: 'More than 10 % of the calls of an upstream fail.',
    runbook: 'upstream',
    fires: {
      series: {
        'console_upstream_call_duration_seconds_count{upstream="evolution",outcome="succeeded"}': '0+60x60',
        'console_upstream_call_duration_seconds_count{upstream="evolution",outcome="deadline"}': '0+30x60',
      },
      at: '30m',
      labels: { upstream: 'evolution' },
    },
    quiet: {
      'console_upstream_call_duration_seconds_count{upstream="evolution",outcome="succeeded"}': '0+60x60',
      'console_upstream_call_duration_seconds_count{upstream="evolution",outcome="client_disconnected"}':
        '0+30x60',
    },
  },
  {
    name: 'ConsoleServiceDocument',
    expr: 'max by (service, state) (console_service_document_state{state=~"document_.+"}) == 1',
    for: '15m',
    severity: 'ticket',
    summary: 'The document of a service cannot be fetched or used. The last valid one stays in use.',
    runbook: 'service-document',
    fires: {
      series: {
        [`console_service_document_state{${labels},service="teams",state="document_invalid"}`]: '1x60',
      },
      at: '20m',
      labels: { service: 'teams', state: 'document_invalid' },
    },
    quiet: { [`console_service_document_state{${labels},service="teams",state="up"}`]: '1x60' },
  },
  {
    name: 'ConsoleTokenExchangeFails',
    expr: 'sum by (service, outcome) (rate(console_token_exchange_duration_seconds_count{outcome!="succeeded"}[10m])) > 0.05',
    for: '5m',
    severity: 'page',
    summary: 'The issuer makes no tokens for a service: its calls get 502 or 503.',
    runbook: 'token-exchange',
    fires: {
      series: {
        [`console_token_exchange_duration_seconds_count{${labels},service="teams",outcome="failed"}`]:
          '0+30x60',
      },
      at: '20m',
      labels: { service: 'teams', outcome: 'failed' },
    },
    quiet: {
      [`console_token_exchange_duration_seconds_count{${labels},service="teams",outcome="succeeded"}`]:
        '0+30x60',
    },
  },
  {
    name: 'ConsoleNatsDisconnected',
    expr: 'console_nats_connected == 0',
    for: '2m',
    severity: 'page',
    summary: 'A process is not connected to NATS: events wait in the outbox, and watchers get 503.',
    runbook: 'nats',
    fires: { series: { [`console_nats_connected{${labels}}`]: '0x30' }, at: '5m', labels: api },
    quiet: { [`console_nats_connected{${labels}}`]: '1x30' },
  },
  {
    name: 'ConsoleEventsDelayed',
    expr: 'max(console_outbox_oldest_seconds) > 60',
    for: '5m',
    severity: 'page',
    summary: 'The oldest event has waited for more than a minute.',
    runbook: 'events-delayed',
    fires: { series: { [`console_outbox_oldest_seconds{${labels}}`]: '0+60x30' }, at: '15m' },
    quiet: { [`console_outbox_oldest_seconds{${labels}}`]: '3x30' },
  },
  {
    name: 'ConsoleEventsDiverged',
    expr: 'max(console_events_diverged) == 1',
    for: '1m',
    severity: 'page',
    summary: 'Delivery has stopped: the stream holds events that the database does not have.',
    runbook: 'events-diverged',
    fires: { series: { [`console_events_diverged{${labels}}`]: '1x30' }, at: '5m' },
    quiet: { [`console_events_diverged{${labels}}`]: '0x30' },
  },
  {
    name: 'ConsoleRedisDown',
    expr: 'console_redis_up == 0',
    for: '5m',
    severity: 'ticket',
    summary: 'A process cannot use Redis: each replica counts its own share of the request budgets.',
    runbook: 'redis',
    fires: { series: { [`console_redis_up{${labels}}`]: '0x30' }, at: '10m', labels: api },
    quiet: { [`console_redis_up{${labels}}`]: '1x30' },
  },
  {
    name: 'ConsoleBudgetsNotCounted',
    expr: 'sum(rate(console_request_budget_uncounted_total[10m])) > 0',
    for: '10m',
    severity: 'ticket',
    summary: 'Calls are forwarded without a permit because the limit of their agent cannot be read.',
    runbook: 'redis',
    fires: { series: { [`console_request_budget_uncounted_total{${labels}}`]: '0+5x60' }, at: '30m' },
    quiet: { [`console_request_budget_uncounted_total{${labels}}`]: '5x60' },
  },
  {
    name: 'ConsoleRevocationsStale',
    expr: 'console_revocations_up == 0',
    for: '2m',
    severity: 'page',
    summary: 'The list of revocations cannot be read: newly revoked tokens are accepted.',
    runbook: 'revocations',
    fires: { series: { [`console_revocations_up{${labels}}`]: '0x30' }, at: '5m', labels: api },
    quiet: { [`console_revocations_up{${labels}}`]: '1x30' },
  },
  {
    name: 'ConsoleAuditPartitionsEnd',
    expr: 'max(console_audit_partitions_ahead_months) < 3 or absent(console_audit_partitions_ahead_months)',
    for: '30m',
    severity: 'ticket',
    summary: 'The audit log has partitions for less than three months; without one every change fails.',
    runbook: 'audit-partitions',
    fires: { series: { [`console_audit_partitions_ahead_months{${labels}}`]: '2x60' }, at: '45m' },
    quiet: { [`console_audit_partitions_ahead_months{${labels}}`]: '12x60' },
  },
  {
    name: 'ConsoleAuditNotSealed',
    expr: 'time() - max(console_audit_sealed_until_timestamp_seconds) > 900',
    for: '5m',
    severity: 'ticket',
    summary: 'The audit log has not been sealed for 15 minutes.',
    runbook: 'audit-seals',
    fires: { series: { [`console_audit_sealed_until_timestamp_seconds{${labels}}`]: '60x60' }, at: '30m' },
    quiet: { [`console_audit_sealed_until_timestamp_seconds{${labels}}`]: '0+60x60' },
  },
  {
    name: 'ConsoleAuditEventsDropped',
    expr: 'sum(increase(console_audit_events_dropped_total[30m])) > 0',
    for: '0m',
    severity: 'ticket',
    summary: 'Calls of mounted services are missing in the audit log.',
    runbook: 'audit-events-dropped',
    fires: { series: { [`console_audit_events_dropped_total{${labels}}`]: '0x10 7x30' }, at: '15m' },
    quiet: { [`console_audit_events_dropped_total{${labels}}`]: '7x60' },
  },
  {
    name: 'ConsoleMaintenanceFails',
    expr:
      'sum by (task) (increase(console_maintenance_runs_total{outcome="failed"}[30m])) > 0 unless ' +
      'sum by (task) (increase(console_maintenance_runs_total{outcome="succeeded"}[30m])) > 0',
    for: '15m',
    severity: 'ticket',
    summary: 'A task of the background work fails, and has not succeeded for half an hour.',
    runbook: 'maintenance',
    fires: {
      series: {
        [`console_maintenance_runs_total{${labels},task="audit_retention",outcome="failed"}`]: '0+4x90',
      },
      at: '60m',
      labels: { task: 'audit_retention' },
    },
    quiet: {
      [`console_maintenance_runs_total{${labels},task="audit_retention",outcome="failed"}`]: '0+1x90',
      [`console_maintenance_runs_total{${labels},task="audit_retention",outcome="succeeded"}`]: '0+4x90',
    },
  },
  {
    name: 'ConsoleEventLoopDelayed',
    expr: 'nodejs_eventloop_lag_p99_seconds{job=~"agent-console.*"} > 0.2',
    for: '10m',
    severity: 'ticket',
    summary: 'A process is too busy: its event loop is late by more than 0.2 s.',
    runbook: 'busy-process',
    fires: { series: { [`nodejs_eventloop_lag_p99_seconds{${labels}}`]: '0.5x60' }, at: '20m', labels: api },
    quiet: { [`nodejs_eventloop_lag_p99_seconds{${labels}}`]: '0.02x60' },
  },
  {
    name: 'ConsoleMemoryHigh',
    expr: 'process_resident_memory_bytes{job=~"agent-console.*"} > 0.85 * 1024 ^ 3',
    for: '15m',
    severity: 'ticket',
    summary: 'A process uses more than 85 % of 1 GiB, the limit of the chart and of the unit.',
    runbook: 'busy-process',
    fires: {
      series: { [`process_resident_memory_bytes{${labels}}`]: '1000000000x60' },
      at: '30m',
      labels: api,
    },
    quiet: { [`process_resident_memory_bytes{${labels}}`]: '300000000x60' },
  },
  {
    name: 'ConsoleConnectionsRefused',
    expr: 'sum by (instance) (rate(console_connections_refused_total[5m])) > 0.1',
    for: '5m',
    severity: 'ticket',
    summary: 'A process has MAX_CONNECTIONS open, and refuses or closes connections of clients.',
    runbook: 'slow-clients',
    fires: {
      series: { [`console_connections_refused_total{${labels}}`]: '0+60x60' },
      at: '15m',
      labels: { instance: 'a:9464' },
    },
    quiet: { [`console_connections_refused_total{${labels}}`]: '60x60' },
  },
  {
    name: 'ConsoleResponsesCutOff',
    expr: 'sum by (instance) (rate(console_responses_cut_off_total{cause="memory"}[10m])) > 0.1',
    for: '10m',
    severity: 'ticket',
    summary: 'Clients that do not read fill the memory for responses (MAX_UNSENT_BYTES).',
    runbook: 'slow-clients',
    fires: {
      series: { [`console_responses_cut_off_total{${labels},cause="memory"}`]: '0+60x60' },
      at: '30m',
      labels: { instance: 'a:9464' },
    },
    quiet: { [`console_responses_cut_off_total{${labels},cause="stalled"}`]: '0+60x60' },
  },
]

export const ALERTS: Alert[] = [...objectiveAlerts, ...causeAlerts]
