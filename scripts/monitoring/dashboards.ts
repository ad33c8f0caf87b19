import { type Dashboard, toGrafana } from './dashboard.ts'
import { hourly, p99, panel, query, rate, stat, total } from './queries.ts'

const REQUESTS = 'console_http_request_duration_seconds'
const CALLS = 'console_upstream_call_duration_seconds'
const JOB = 'job=~"agent-console.*"'
const CHANGES = 'method!~"GET|HEAD|OPTIONS",status=~"2.."'
const agents = (path: string) => `route="/v1/agent-configurations${path}"`

/** As in deploy/prometheus/alerts.yaml: the share of bad events that is allowed. */
const OBJECTIVES = [
  {
    name: 'availability',
    allowed: 0.001,
    title: '99.9 % of the requests that need no upstream do not fail with a 5xx',
  },
  {
    name: 'latency',
    allowed: 0.01,
    title: '99 % of the requests that list, read and change agents take at most 0.5 s',
  },
  {
    name: 'delivery',
    allowed: 0.01,
    title: '99 % of the events are delivered to NATS within 5 s of the change',
  },
]

const service: Dashboard = {
  uid: 'agent-console-service',
  title: 'Agent Console / Service',
  rows: {
    Objectives: OBJECTIVES.map(({ name, allowed, title }) => ({
      ...stat(
        `Error budget left, ${name}`,
        'percentunit',
        query(`1 - console:${name}_errors:ratio_rate3d / ${allowed}`),
      ),
      description: `${title}. At the rate of the last three days; below 0 the objective is missed.`,
    })),
    Requests: [
      panel('Requests by status', 'reqps', rate(`${REQUESTS}_count`, 'status')),
      panel('Requests by route', 'reqps', rate(`${REQUESTS}_count`, 'method, route')),
      panel('99th percentile by route', 's', p99(REQUESTS, 'method, route', 'route!~".*(events|export).*"')),
      panel('Failures (5xx) by route', 'reqps', rate(`${REQUESTS}_count`, 'route, status', 'status=~"5.."')),
      panel(
        'Refusals (401, 403, 429) by route',
        'reqps',
        rate(`${REQUESTS}_count`, 'route, status', 'status=~"401|403|429"'),
      ),
      panel('Requests by replica', 'reqps', rate(`${REQUESTS}_count`, 'instance')),
    ],
    Processes: [
      panel('Processor, in cores', 'short', rate('process_cpu_seconds_total', 'instance', JOB)),
      panel('Memory', 'bytes', total('process_resident_memory_bytes', 'instance', JOB)),
      panel(
        'Delay of the event loop, 99th percentile',
        's',
        total('nodejs_eventloop_lag_p99_seconds', 'instance', JOB),
      ),
    ],
    Clients: [
      panel('Keys of the issuer are readable', 'short', total('console_issuer_up', 'instance')),
      panel('Revocations in use', 'short', total('console_revocations', 'instance')),
      panel('List of revocations is readable', 'short', total('console_revocations_up', 'instance')),
    ],
  },
}

const database: Dashboard = {
  uid: 'agent-console-database',
  title: 'Agent Console / Database and fairness',
  rows: {
    Database: [
      panel('State, number of processes', 'short', total('console_database_state', 'state')),
      panel('Schema, number of processes', 'short', total('console_database_schema_info', 'version')),
      panel('Connections', 'short', total('console_database_connections', 'pool, state')),
      panel('Statements that wait for a connection', 'short', total('console_database_waiting', 'pool')),
      panel(
        'Connections refused or lost',
        'short',
        rate('console_database_connection_errors_total', 'pool, kind'),
      ),
      panel('Failed statements', 'short', rate('console_database_errors_total', 'sqlstate')),
    ],
    'Fair shares': [
      panel('Places in use', 'short', total('console_places_in_use', 'of')),
      panel('Requests that wait', 'short', total('console_places_waiting', 'of')),
      panel('Wait for a place, 99th percentile', 's', p99('console_place_wait_seconds', 'of')),
      panel('Requests without a place', 'reqps', rate('console_refusals_total', 'of, cause')),
    ],
    Maintenance: [
      panel('Runs in an hour', 'short', hourly('console_maintenance_runs_total', 'task, outcome')),
      panel('Rows in an hour', 'short', hourly('console_maintenance_rows_total', 'task')),
      panel(
        'Time since the last success',
        's',
        query('time() - max by (task) (console_maintenance_last_success_timestamp_seconds)', '{{task}}'),
      ),
      panel(
        'Audit partitions ahead, months',
        'short',
        query('max(console_audit_partitions_ahead_months)', 'months'),
      ),
      panel(
        'Audit events dropped in an hour',
        'short',
        hourly('console_audit_events_dropped_total', 'instance'),
      ),
    ],
  },
}

const upstreams: Dashboard = {
  uid: 'agent-console-upstreams',
  title: 'Agent Console / Upstreams',
  rows: {
    Calls: [
      panel('Calls by outcome', 'reqps', rate(`${CALLS}_count`, 'upstream, outcome')),
      panel('99th percentile', 's', p99(CALLS, 'upstream')),
      panel('In flight', 'short', total('console_upstream_in_flight', 'upstream')),
      panel('Retries', 'reqps', rate('console_upstream_retries_total', 'upstream')),
      panel('Streaming responses', 'short', total('console_upstream_responses_streaming', 'upstream')),
      panel(
        'Broken responses',
        'reqps',
        rate('console_upstream_responses_broken_total', 'upstream, outcome'),
      ),
    ],
    'Circuit breakers': [
      panel(
        'Open or half-open, replicas',
        'short',
        total('console_upstream_breaker_state', 'upstream, state', 'state!="closed"'),
      ),
    ],
    Services: [
      panel(
        'State of the documents, replicas',
        'short',
        total('console_service_document_state', 'service, state'),
      ),
      panel(
        'Changes of documents in an hour',
        'short',
        hourly('console_service_document_changes_total', 'service'),
      ),
      panel(
        'Token exchanges',
        'reqps',
        rate('console_token_exchange_duration_seconds_count', 'service, outcome'),
      ),
      panel(
        'Token exchange, 99th percentile',
        's',
        p99('console_token_exchange_duration_seconds', 'service'),
      ),
    ],
  },
}

const delivery: Dashboard = {
  uid: 'agent-console-delivery',
  title: 'Agent Console / Delivery',
  rows: {
    Outbox: [
      panel('Events that wait', 'short', query('max(console_outbox_waiting)', 'events')),
      panel('Age of the oldest event', 's', query('max(console_outbox_oldest_seconds)', 'age')),
      panel('Time to delivery, 99th percentile', 's', p99('console_event_delivery_seconds', 'job')),
      panel('Delivered events', 'short', rate('console_event_delivery_seconds_count', 'instance')),
      panel('Failed attempts', 'short', rate('console_event_delivery_failures_total', 'instance')),
      panel('Connected to NATS', 'short', total('console_nats_connected', 'instance')),
      panel('Epoch', 'short', query('max(console_events_epoch)', 'epoch')),
      panel('Delivery has stopped', 'short', query('max(console_events_diverged)', 'diverged')),
    ],
    Watchers: [
      panel('Subscribers', 'short', total('console_watch_subscribers', 'instance')),
      panel('Cut off', 'short', rate('console_watch_subscribers_cut_off_total', 'instance')),
    ],
  },
}

const business: Dashboard = {
  uid: 'agent-console-business',
  title: 'Agent Console / Business',
  rows: {
    Agents: [
      panel(
        'Agents by trust stage, estimated',
        'short',
        query('max by (trust_stage) (console_agents)', '{{trust_stage}}'),
      ),
    ],
    'Agents, in an hour': [
      panel(
        'Changes by operation',
        'short',
        hourly(`${REQUESTS}_count`, 'method, route', `${CHANGES},route=~"/v1/(agent-|configuration-sets).*"`),
      ),
      panel(
        'Created',
        'short',
        hourly(
          `${REQUESTS}_count`,
          'route',
          `method="POST",status=~"2..",route=~"/v1/agent-configurations(/:id/clone)?"`,
        ),
      ),
      panel(
        'Deleted',
        'short',
        hourly(`${REQUESTS}_count`, 'route', `method="DELETE",status=~"2..",${agents('/:id')}`),
      ),
      panel(
        'Trust stages changed',
        'short',
        hourly(`${REQUESTS}_count`, 'route', `${CHANGES},${agents('/:id/lifecycle')}`),
      ),
      panel(
        'Evaluations recorded',
        'short',
        hourly(`${REQUESTS}_count`, 'route', `${CHANGES},${agents('/:id/latest-evaluation')}`),
      ),
      panel(
        'Restored revisions',
        'short',
        hourly(`${REQUESTS}_count`, 'route', `${CHANGES},${agents('/:id/revisions/:revision/restore')}`),
      ),
      panel(
        'Imports and applied specs',
        'short',
        hourly(
          `${REQUESTS}_count`,
          'route',
          `${CHANGES},route=~"/v1/agent-imports|/v1/configuration-sets.*"`,
        ),
      ),
      panel(
        'Secrets read',
        'short',
        hourly(`${REQUESTS}_count`, 'route', `method="GET",status=~"2..",${agents('/:id/secrets')}`),
      ),
    ],
    'Request budgets': [
      panel('Permits', 'reqps', rate('console_request_budget_permits_total', 'outcome, priority')),
      panel('Permits by counter', 'reqps', rate('console_request_budget_permits_total', 'counted_by')),
      panel('Given back', 'reqps', rate('console_request_budget_refunds_total', 'instance')),
      panel(
        'Forwarded without a permit',
        'reqps',
        rate('console_request_budget_uncounted_total', 'instance'),
      ),
      panel('Redis is up', 'short', total('console_redis_up', 'instance')),
      panel('Calls of Redis without a reply', 'short', rate('console_redis_failures_total', 'cause')),
    ],
  },
}

export const DASHBOARDS: Record<string, Dashboard> = { service, database, upstreams, delivery, business }

export function makeDashboards(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(DASHBOARDS).map(([name, dashboard]) => [
      `deploy/grafana/${name}.json`,
      `${JSON.stringify(toGrafana(dashboard), null, 2)}\n`,
    ]),
  )
}
