import type { Alert } from '../alert.ts'
import { labels, replica } from './example-labels.ts'

/** Alerts about upstreams, mounted services and request budgets. */
export const upstreamsAlerts: Alert[] = [
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
