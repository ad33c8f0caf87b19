import fc from 'fast-check'
import { PROTECTION_STATUSES, TRUST_STAGES } from '../../src/agent/schema.ts'

/** Generated graphs. Targets are indices: the ids of agents are known only when they exist. */

const NAMES = ['ALPHA', 'BETA', 'GAMMA']
const SPELLINGS = [
  (name: string) => `https://${name.toLowerCase()}.example.com/a`,
  (name: string) => `HTTPS://${name}.EXAMPLE.COM/a/`,
  (name: string) => `https://${name.toLowerCase()}.example.com:443/a#part`,
]

const url = fc
  .tuple(fc.constantFrom(...NAMES), fc.constantFrom(...SPELLINGS))
  .map(([name, spell]) => spell(name))

const entry = fc.oneof(
  { weight: 4, arbitrary: fc.record({ target: fc.nat({ max: 9 }) }) },
  { weight: 2, arbitrary: fc.record({ url }) },
  { weight: 1, arbitrary: fc.record({ agent_card_url: url }) },
  { weight: 1, arbitrary: fc.record({ agent_card_url: url, url }) },
  { weight: 1, arbitrary: fc.record({ target: fc.nat({ max: 9 }), url }) },
  { weight: 1, arbitrary: fc.record({ name: fc.constantFrom('Agent', 'ALPHA') }) },
)

const agent = fc.record({
  team: fc.nat({ max: 1 }),
  agent_url: fc.option(url, { nil: null }),
  card: fc.option(url, { nil: null, freq: 3 }),
  trust_stage: fc.constantFrom(...TRUST_STAGES),
  protection_status: fc.constantFrom(...PROTECTION_STATUSES),
})

/** Shapes that random entries rarely make, as targets of each agent. */
const shape = fc.constantFrom<((index: number, count: number) => number[]) | undefined>(
  undefined,
  (index, count) => (index + 1 < count ? [index + 1] : []),
  (index, count) => [(index + 1) % count],
  (index) => (index === 0 ? [] : [0]),
  (index, count) => Array.from({ length: count }, (_, other) => other).filter((other) => other !== index),
)

const change = fc.record({
  agent: fc.nat({ max: 9 }),
  what: fc.oneof(
    fc.record({ kind: fc.constant('url' as const), value: fc.option(url, { nil: null }) }),
    fc.record({ kind: fc.constant('entries' as const), value: fc.array(entry, { maxLength: 3 }) }),
    fc.record({ kind: fc.constant('stage' as const), value: fc.constantFrom(...TRUST_STAGES) }),
    fc.record({ kind: fc.constant('delete' as const) }),
    fc.record({ kind: fc.constant('recover' as const) }),
  ),
})

export const generatedGraph = fc.record({
  agents: fc.array(fc.tuple(agent, fc.array(entry, { maxLength: 3 })), { minLength: 2, maxLength: 7 }),
  shape,
  changes: fc.array(change, { maxLength: 4 }),
  depth: fc.constantFrom(1, 2, 3, 10),
})
export type GeneratedGraph = typeof generatedGraph extends fc.Arbitrary<infer Graph> ? Graph : never
export type GeneratedEntry = typeof entry extends fc.Arbitrary<infer Entry> ? Entry : never
