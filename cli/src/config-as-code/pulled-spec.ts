import { isDeepStrictEqual } from 'node:util'
import { SPEC_FIELDS } from './check-document.ts'
import type { Spec } from './desired.ts'
import type { LiveAgent } from './set-client.ts'

/** The values of a new agent. A file need not repeat them. */
const DEFAULTS: Record<string, unknown> = {
  ...{ hub: 'custom', rate_limit_requests_per_minute: 100, status: 'active', access_level: 'black_box' },
  ...{ protocol: 'chat_completions', protection_status: 'unprotected', guard_manually_configured: false },
  ...{ delegated_agents: [], import_metadata: { source: 'manual' }, capabilities: {}, skills: [] },
}
const FIRST = ['agent_name', 'model_name', 'purpose']

/** In a fixed order, so that two pulls give the same file. */
const FIELD_ORDER: readonly string[] = [...FIRST, ...SPEC_FIELDS.filter((field) => !FIRST.includes(field))]

/** The spec of a file for an agent. `owned`: exactly these fields; undefined: all that have another value than a new agent has,
 * except for those of other sets. */
export function pulledSpec(
  agent: LiveAgent,
  variable: string,
  owned: readonly string[] | undefined,
  ownedByOthers: ReadonlySet<string>,
): Spec {
  const live = agent as unknown as Spec
  const isWritten = (field: string) => {
    if (owned) return owned.includes(field)
    if (ownedByOthers.has(field)) return false
    const value = live[field]
    return value !== null && value !== undefined && !isDeepStrictEqual(value, DEFAULTS[field])
  }
  return Object.fromEntries(
    FIELD_ORDER.filter(isWritten).map((field) => [field, withSource(field, live[field] ?? null, variable)]),
  )
}

/** The console shows masks only: the file says where the secret comes from. */
function withSource(field: string, value: unknown, variable: string): unknown {
  if (field === 'api_key') return value === null ? null : sourceOf(variable, 'API_KEY')
  const { github_token: token } = Object(value) as { github_token?: unknown }
  if (field !== 'white_box_config' || typeof token !== 'string') return value
  return { ...(value as object), github_token: sourceOf(variable, 'GITHUB_TOKEN') }
}

const sourceOf = (variable: string, what: string) => ({ $secret: { env: `${variable}_${what}` } })

/** A shell can set no variable that begins with a digit. */
const variableName = (key: string) =>
  key
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '_')
    .replace(/^(?=\d)/, 'AGENT_')

/** The beginning of the variables of each key. Two keys may differ in a dot only, and must not share a secret. */
export function variableNames(keys: Iterable<string>): Map<string, string> {
  const names = new Map<string, string>()
  const used = new Set<string>()
  for (const key of [...keys].toSorted()) {
    const base = variableName(key)
    let name = base
    for (let number = 2; used.has(name); number++) name = `${base}_${number}`
    used.add(name)
    names.set(key, name)
  }
  return names
}

/** A key from the name of an agent, unlike all those that are taken, also in its variables. */
export function keyOf({ agent_name: name = '', id }: LiveAgent, taken: ReadonlySet<string>): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/[^a-z0-9._]+/g, '-')
    .replaceAll(/^[^a-z0-9]+|[^a-z0-9]+$/g, '')
    .slice(0, 56)
  const variables = new Set([...taken].map(variableName))
  const first = plain === '' ? `agent-${id.slice(-12)}` : plain
  for (let number = 1; ; number++) {
    const key = number === 1 ? first : `${first}-${number}`
    if (!variables.has(variableName(key))) return key
  }
}
