export type Rule =
  | { type: 'blocklist'; words: string[] }
  | { type: 'threshold'; metric: string; at_most: number }

/** The guardrails of the story. */
export const GUARDRAILS: { name: string; rule: Rule }[] = [
  {
    name: 'no-refund-promises',
    rule: { type: 'blocklist', words: ['I will refund', 'your refund is approved', 'money back today'] },
  },
  {
    name: 'no-legal-advice',
    rule: { type: 'blocklist', words: ['as your lawyer', 'you should sue', 'legally binding advice'] },
  },
  { name: 'quick-answers', rule: { type: 'threshold', metric: 'latency_ms', at_most: 1_500 } },
  { name: 'short-answers', rule: { type: 'threshold', metric: 'tokens', at_most: 1_200 } },
]

/** The agents that are in use, and so in the telemetry. */
export const WATCHED_AGENTS = [
  'concierge',
  'returns',
  'translator',
  'invoices',
  'pricing',
  'dispatcher',
  'travel',
]
