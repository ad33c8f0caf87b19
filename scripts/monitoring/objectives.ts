/** Service level objectives, over 30 days. */
export interface Objective {
  /** In the names of recording rules and alerts. */
  name: string
  title: string
  /** The share of good events. */
  target: number
  /** PromQL: the rate of bad events and of all events in a window. */
  bad: (window: string) => string
  all: (window: string) => string
  runbook: string
}

const REQUESTS = 'console_http_request_duration_seconds'
/** Upstreams have alerts of their own. Kubernetes and load balancers ask for the health, not users. */
const NEEDS_NO_UPSTREAM = 'upstream="",route!~"/health/.*"'
/** Streams and exports take as long as their clients like. */
const OWN_ROUTES = 'route=~"/v1/agent-configurations(/:id)?"'

export const OBJECTIVES: Objective[] = [
  {
    name: 'availability',
    title: '99.9 % of the requests that need no upstream do not fail with a 5xx',
    target: 0.999,
    bad: (window) => `sum(rate(${REQUESTS}_count{${NEEDS_NO_UPSTREAM},status=~"5.."}[${window}]))`,
    all: (window) => `sum(rate(${REQUESTS}_count{${NEEDS_NO_UPSTREAM}}[${window}]))`,
    runbook: 'availability',
  },
  {
    name: 'latency',
    title: '99 % of the requests that list, read and change agents take at most 0.5 s',
    target: 0.99,
    bad: (window) =>
      `(sum(rate(${REQUESTS}_count{${OWN_ROUTES}}[${window}])) - sum(rate(${REQUESTS}_bucket{${OWN_ROUTES},le="0.5"}[${window}])))`,
    all: (window) => `sum(rate(${REQUESTS}_count{${OWN_ROUTES}}[${window}]))`,
    runbook: 'latency',
  },
  {
    name: 'delivery',
    title: '99 % of the events are delivered to NATS within 5 s of the change',
    target: 0.99,
    bad: (window) =>
      `(sum(rate(console_event_delivery_seconds_count[${window}])) - sum(rate(console_event_delivery_seconds_bucket{le="5"}[${window}])))`,
    all: (window) => `sum(rate(console_event_delivery_seconds_count[${window}]))`,
    runbook: 'events-delayed',
  },
]

/** A long window shows that it matters, a short one that it still goes on. The factor is how many times faster than
 * allowed the error budget is used: 14.4 uses 2 % of the budget of 30 days in an hour. */
interface Burn {
  factor: number
  long: string
  short: string
}

export const FAST_BURNS: Burn[] = [
  { factor: 14.4, long: '1h', short: '5m' },
  { factor: 6, long: '6h', short: '30m' },
]
export const SLOW_BURNS: Burn[] = [
  { factor: 3, long: '1d', short: '2h' },
  { factor: 1, long: '3d', short: '6h' },
]

export const ratioRule = (name: string, window: string) => `console:${name}_errors:ratio_rate${window}`

const WINDOWS = new Set([...FAST_BURNS, ...SLOW_BURNS].flatMap(({ long, short }) => [short, long]))

/** Without requests there is no ratio, and so no alert. */
export const recordingRules = () =>
  OBJECTIVES.flatMap(({ name, bad, all }) =>
    [...WINDOWS].map((window) => ({
      record: ratioRule(name, window),
      expr: `${bad(window)} / (${all(window)} > 0)`,
    })),
  )

/** True while the budget burns this fast, in one of the pairs of windows. */
export const burns = ({ name, target }: Objective, pairs: Burn[]) =>
  pairs
    .map(({ factor, long, short }) => {
      const limit = Number((factor * (1 - target)).toFixed(6))
      return `(${ratioRule(name, long)} > ${limit} and ${ratioRule(name, short)} > ${limit})`
    })
    .join(' or ')
