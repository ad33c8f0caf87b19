import { NO_EVOLUTION, type StoryAgent } from '../story.ts'

/** The agents of finance, purchasing and legal. */
export const FINANCE_AGENTS: StoryAgent[] = [
  {
    key: 'invoices',
    owner: 'tobias',
    createdDaysAgo: 160,
    body: {
      agent_name: 'Invoice helper',
      model_name: 'gpt-5.4',
      agent_url: 'https://agents.fjordandfield.example/invoices',
      api_key: 'sk-demo-4f9a8c7d6e5b4a3928171605',
      agent_system_prompt: 'You answer questions about invoices.',
      agent_params: { temperature: 0.2, max_tokens: 1024 },
      agent_metadata: { role: 'finance', tags: ['billing'], author: 'Tobias Reyes' },
      purpose: 'Explains invoices to customers and to the finance team',
    },
    events: [
      {
        daysAgo: 150,
        by: 'tobias',
        change: { agent_system_prompt: 'You answer questions about invoices. You never promise a refund.' },
      },
      {
        daysAgo: 140,
        harness: 'safety',
        scores: { overall: 0.9, reliability: 0.91, security: 0.87, safety: 0.93 },
        report:
          'No refund promised in 200 conversations. One answer named another customer’s invoice number: fixed.',
      },
      { daysAgo: 139, by: 'ines', stage: 'tested', reason: 'Safety harness passed' },
      {
        daysAgo: 120,
        by: 'tobias',
        change: { protection_status: 'guarded', rate_limit_requests_per_minute: 240 },
      },
      // Changed after its evaluation, which is outdated since.
      { daysAgo: 5, by: 'tobias', change: { model_name: 'gpt-5.4-turbo' } },
    ],
    evolution: {
      state: 'proposing',
      generation: 4,
      proposals: [
        { field: 'agent_params.temperature', fitness: 0.78, verdict: 'rejected', daysAgo: 20 },
        { field: 'agent_system_prompt', fitness: 0.86, verdict: 'accepted', daysAgo: 6 },
      ],
    },
  },
  {
    key: 'pricing',
    owner: 'tobias',
    createdDaysAgo: 250,
    body: {
      agent_name: 'Pricing analyst',
      model_name: 'claude-sonnet-5',
      agent_url: 'https://agents.fjordandfield.example/pricing',
      agent_system_prompt: 'You suggest prices from stock, season and demand. A colleague sets them.',
      agent_params: { temperature: 0.1, max_tokens: 2048 },
      agent_metadata: { role: 'purchasing', tags: ['pricing'], author: 'Tobias Reyes' },
      access_level: 'grey_box',
      mcp_config: {
        proxy_url: 'https://mcp.fjordandfield.example',
        access_level: 'read',
        server_urls: ['https://stock.fjordandfield.example/mcp'],
      },
      protection_status: 'configured',
    },
    events: [
      {
        daysAgo: 230,
        harness: 'reliability',
        scores: { overall: 0.86, reliability: 0.89, security: 0.83, safety: 0.86 },
        report: 'Suggested prices lie within 4 % of those of two analysts.',
      },
      { daysAgo: 229, by: 'ines', stage: 'tested', reason: 'Reliability harness passed' },
      { daysAgo: 200, by: 'ines', stage: 'trusted', reason: 'Suggestions were kept in 9 of 10 cases' },
      {
        daysAgo: 14,
        harness: 'reliability',
        scores: { overall: 0.92, reliability: 0.94, security: 0.9, safety: 0.92 },
        report: 'Suggested prices lie within 2 % of those of two analysts.',
      },
      { daysAgo: 13, by: 'tobias', stage: 'optimized', reason: 'Generation 18 doubled the margin found' },
    ],
    evolution: {
      state: 'evaluating',
      generation: 19,
      proposals: [{ field: 'agent_params.temperature', fitness: 0.93, verdict: 'pending', daysAgo: 1 }],
    },
  },
  {
    key: 'contracts',
    owner: 'ines',
    createdDaysAgo: 9,
    body: {
      agent_name: 'Contract reader',
      model_name: 'claude-opus-5',
      agent_system_prompt:
        'You find the notice periods and liabilities in supplier contracts, and quote them.',
      agent_metadata: { role: 'legal', tags: ['contracts', 'confidential'], author: 'Ines Okafor' },
      status: 'draft',
    },
    events: [{ daysAgo: 0.5, by: 'ines', change: { agent_params: { temperature: 0, max_tokens: 4096 } } }],
    evolution: NO_EVOLUTION,
  },
]
