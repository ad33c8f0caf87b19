import type { Alert } from '../alert.ts'
import { labels, replica } from './example-labels.ts'

/** Also what is not sent: its breaker is open. */
const FAILED = '{outcome=~"unreachable|cut_off|deadline|too_large|server_error|not_sent"}'
const calls = (window: string, outcomes = '') =>
  `sum by (upstream) (rate(console_upstream_call_duration_seconds_count${outcomes}[${window}]))`

/** Alerts about upstreams, mounted services and request budgets. */
export const upstreamsAlerts: Alert[] = [
  {
    name: 'ConsoleUpstreamBreakerOpen',
    // A breaker closes with a call: without calls it stays open.
    expr:
      'max by (upstream) (max_over_time(console_upstream_breaker_state{state="open"}[1m])) == 1 ' +
      `and on (upstream) ${calls('5m')} > 0`,
    for: '2m',
    severity: 'page',
    summary: 'The circuit breaker of an upstream is open: its calls get 503.',
    runbook: 'upstream',
    fires: {
      series: {
        [`console_upstream_breaker_state{${labels},upstream="evolution",state="open"}`]: '1x30',
        'console_upstream_call_duration_seconds_count{upstream="evolution",outcome="not_sent"}': '0+60x30',
      },
      at: '5m',
      labels: { upstream: 'evolution' },
    },
    quiet: {
      [`console_upstream_breaker_state{${labels},upstream="unused",state="open"}`]: '1x30',
      [`console_upstream_breaker_state{${labels},upstream="evolution",state="open"}`]: '0x30',
    },
  },
  {
    // The breaker of all teams stays closed while one team alone has calls, or alone fails.
    name: 'ConsoleUpstreamDown',
    expr: `${calls('5m', FAILED)} / (${calls('5m')} > 0.05) > 0.5`,
    for: '5m',
    severity: 'page',
    summary: 'More than half of the calls of an upstream fail, or are not sent because they would fail.',
    runbook: 'upstream',
    fires: {
      series: {
        'console_upstream_call_duration_seconds_count{upstream="evolution",outcome="server_error"}': '0+6x60',
        'console_upstream_call_duration_seconds_count{upstream="evolution",outcome="not_sent"}': '0+60x60',
      },
      at: '15m',
      labels: { upstream: 'evolution' },
    },
    quiet: {
      'console_upstream_call_duration_seconds_count{upstream="guard",outcome="succeeded"}': '0+60x60',
      'console_upstream_call_duration_seconds_count{upstream="guard",outcome="not_sent"}': '0+5x60',
    },
  },
  {
    name: 'ConsoleUpstreamFails',
    expr: `${calls('10m', FAILED)} / (${calls('10m')} > 0) > 0.1`,
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
    name: 'ConsoleRedisDown',
    expr: 'console_redis_up == 0',
    for: '5m',
    severity: 'ticket',
    summary: 'A process cannot use Redis: each replica counts its own share of the request budgets.',
    runbook: 'redis',
    fires: { series: { [`console_redis_up{${labels}}`]: '0x30' }, at: '10m', labels: replica },
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
]
