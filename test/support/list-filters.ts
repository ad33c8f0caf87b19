import {
  ACCESS_LEVELS,
  AGENT_STATUSES,
  PROTECTION_STATUSES,
  PROTOCOLS,
  TRUST_STAGES,
} from '../../src/agent/schema.ts'
import { EVALUATION_STATES } from '../../src/features/list/schema.ts'

/** The values of each filter in a generated fleet; first one of the most common, last one of the rarest. */
export const FILTERS: Record<string, readonly string[]> = {
  statuses: ['active', ...AGENT_STATUSES.filter((status) => status !== 'active')],
  trust_stages: TRUST_STAGES,
  protection_statuses: PROTECTION_STATUSES,
  access_levels: ACCESS_LEVELS,
  protocols: PROTOCOLS,
  evaluation: ['none', ...EVALUATION_STATES.filter((state) => state !== 'none')],
  model_names: ['gpt-5.4', 'qwen-4', 'nothing'],
  hubs: ['custom', 'on-premises', 'nothing'],
  tags: ['billing', 'project-96', 'nothing'],
  min_score: ['0.1', '0.99', '2'],
  // Parts of names: what most have, what is short, what none has, and what one in ten thousand has.
  q: ['agent', 'an', 'qqqq', 'zanzibar'],
}
const NAMES = Object.keys(FILTERS)

/** Query strings: no filter, and each value of each filter. */
export const SINGLES = [
  '',
  ...NAMES.flatMap((name) => (FILTERS[name] ?? []).map((value) => `${name}=${value}`)),
]

/** Query strings: the common and the rare value of any two filters. */
export const PAIRS = NAMES.flatMap((one, n) =>
  NAMES.slice(n + 1).flatMap((other) => endsOf(one).flatMap((a) => endsOf(other).map((b) => `${a}&${b}`))),
)

function endsOf(name: string): string[] {
  return [FILTERS[name]?.[0], FILTERS[name]?.at(-1)].map((value) => `${name}=${value}`)
}

/** The filters that a query string names, joined. */
export function filtersIn(query: string): string {
  return (
    (query.match(/\w+(?==)/g) ?? ['no filter']).filter((name) => name in FILTERS).join(' + ') || 'no filter'
  )
}
