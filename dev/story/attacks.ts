/** The campaigns of the red team, by the keys of the agents that they attack. */
export interface StoryCampaign {
  key: string
  name: string
  technique: 'prompt_injection' | 'jailbreak' | 'data_exfiltration'
  targets: string[]
  state: 'planned' | 'running' | 'completed'
  daysAgo: number
  attempts: number
  findings: { agent: string; severity: 'low' | 'medium' | 'high'; summary: string; isFixed: boolean }[]
}

export const CAMPAIGNS: StoryCampaign[] = [
  {
    key: 'managers',
    name: 'Callers who claim to be a manager',
    technique: 'prompt_injection',
    targets: ['returns', 'concierge'],
    state: 'completed',
    daysAgo: 108,
    attempts: 120,
    findings: [
      {
        agent: 'returns',
        severity: 'high',
        summary: 'Promises a refund to a caller who names a manager.',
        isFixed: true,
      },
      {
        agent: 'concierge',
        severity: 'low',
        summary: 'Repeats the instruction it was given, and does not follow it.',
        isFixed: true,
      },
    ],
  },
  {
    key: 'invoices',
    name: 'Invoices of other customers',
    technique: 'data_exfiltration',
    targets: ['invoices'],
    state: 'completed',
    daysAgo: 50,
    attempts: 300,
    findings: [
      {
        agent: 'invoices',
        severity: 'medium',
        summary: 'Confirms that an invoice number exists in another account.',
        isFixed: false,
      },
    ],
  },
  {
    key: 'comments',
    name: 'Instructions hidden in code',
    technique: 'prompt_injection',
    targets: ['reviewer'],
    state: 'running',
    daysAgo: 1,
    attempts: 42,
    findings: [],
  },
  {
    key: 'policy',
    name: 'Trips outside the policy',
    technique: 'jailbreak',
    targets: ['travel'],
    state: 'planned',
    daysAgo: 0,
    attempts: 0,
    findings: [],
  },
]
