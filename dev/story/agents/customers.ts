import type { StoryAgent } from '../story.ts'

/** The agents that customers talk to. */
export const CUSTOMER_AGENTS: StoryAgent[] = [
  {
    key: 'concierge',
    owner: 'maren',
    createdDaysAgo: 210,
    body: {
      agent_name: 'Order concierge',
      model_name: 'claude-sonnet-5',
      agent_url: 'https://agents.fjordandfield.example/concierge',
      api_key: 'sk-demo-7c1e5a904b2f86d3e0a91b44',
      agent_system_prompt: 'You tell customers where their order is. You never change an order.',
      agent_params: { temperature: 0.2, max_tokens: 800 },
      agent_metadata: { role: 'support', tags: ['customers', 'orders'], author: 'Maren Holt' },
      capabilities: { streaming: true, tools: ['order_status', 'parcel_tracking'] },
      rate_limit_requests_per_minute: 600,
      purpose: 'Answers where an order is, in the shop and in the app',
    },
    events: [
      { daysAgo: 200, by: 'maren', change: { protection_status: 'configured' } },
      {
        daysAgo: 196,
        harness: 'safety',
        scores: { overall: 0.88, reliability: 0.9, security: 0.84, safety: 0.9 },
        report:
          'No unsafe answer in 400 conversations. Twice it promised a delivery date that no carrier had given.',
      },
      { daysAgo: 195, by: 'ines', stage: 'tested', reason: 'Safety harness passed' },
      {
        daysAgo: 180,
        by: 'maren',
        change: {
          agent_system_prompt:
            'You tell customers where their order is. You never change an order, and you give no date but the carrier’s.',
        },
      },
      { daysAgo: 171, by: 'ines', stage: 'hardened', reason: 'No finding left open from the red team' },
      {
        daysAgo: 170,
        by: 'maren',
        change: { protection_status: 'guarded', guard_manually_configured: true },
      },
      {
        daysAgo: 12,
        harness: 'reliability',
        scores: { overall: 0.95, reliability: 0.97, security: 0.92, safety: 0.96 },
        report: 'The same question gets the same answer in 97 of 100 pairs. Median latency 640 ms.',
      },
      { daysAgo: 11, by: 'ines', stage: 'trusted', reason: 'Ninety days without an incident' },
    ],
    evolution: {
      state: 'awaiting_approval',
      generation: 6,
      proposals: [
        { field: 'agent_params.temperature', fitness: 0.91, verdict: 'accepted', daysAgo: 30 },
        { field: 'agent_system_prompt', fitness: 0.94, verdict: 'pending', daysAgo: 2 },
      ],
    },
  },
  {
    key: 'returns',
    owner: 'maren',
    createdDaysAgo: 120,
    body: {
      agent_name: 'Returns assistant',
      model_name: 'gpt-5.4',
      agent_url: 'https://agents.fjordandfield.example/returns',
      api_key: 'sk-demo-2b9d0f6e8a7c41538e6f20d7',
      agent_system_prompt:
        'You help customers to return what they bought. You promise no refund: a colleague decides.',
      agent_params: { temperature: 0.3, max_tokens: 1024 },
      agent_metadata: { role: 'support', tags: ['customers', 'returns'], author: 'Maren Holt' },
      protection_status: 'configured',
      purpose: 'Prints return labels and explains the conditions',
    },
    events: [
      {
        daysAgo: 110,
        harness: 'security',
        scores: { overall: 0.71, reliability: 0.8, security: 0.58, safety: 0.75 },
        report: 'A customer who claims to be a manager gets a refund promised in 9 of 50 attempts.',
      },
      { daysAgo: 109, by: 'ines', stage: 'tested', reason: 'Security harness ran; its findings are open' },
      { daysAgo: 100, by: 'maren', change: { protection_status: 'guarded' } },
      {
        daysAgo: 40,
        harness: 'security',
        scores: { overall: 0.89, reliability: 0.88, security: 0.9, safety: 0.88 },
        report: 'With the guardrail no-refund-promises: no promise in 50 attempts.',
      },
      { daysAgo: 39, by: 'ines', stage: 'hardened', reason: 'Findings closed by a guardrail' },
      // The evaluation above was of another model: it no longer holds.
      {
        daysAgo: 0.2,
        by: 'tobias',
        change: { model_name: 'gpt-5.4-mini', agent_params: { temperature: 0.3, max_tokens: 600 } },
      },
    ],
    evolution: {
      state: 'evaluating',
      generation: 3,
      proposals: [{ field: 'model_name', fitness: 0.82, verdict: 'pending', daysAgo: 1 }],
    },
  },
  {
    key: 'translator',
    owner: 'jun',
    createdDaysAgo: 300,
    body: {
      agent_name: 'Support translator',
      model_name: 'mistral-large-4',
      agent_url: 'https://agents.fjordandfield.example/translator',
      agent_system_prompt:
        'You translate between customers and colleagues. You add nothing and leave nothing out.',
      agent_params: { temperature: 0, max_tokens: 2048 },
      agent_metadata: { role: 'support', tags: ['customers', 'languages'], author: 'Jun Takeda' },
      protection_status: 'guarded',
      rate_limit_requests_per_minute: 1200,
    },
    events: [
      {
        daysAgo: 280,
        harness: 'reliability',
        scores: { overall: 0.93, reliability: 0.95, security: 0.91, safety: 0.93 },
        report: 'Back-translation agrees in 95 of 100 messages, in nine languages.',
      },
      { daysAgo: 279, by: 'ines', stage: 'trusted', reason: 'Translates only; reads nothing else' },
      {
        daysAgo: 150,
        by: 'jun',
        stage: 'optimized',
        reason: 'Half the cost for each message since generation 9',
      },
      { daysAgo: 90, by: 'jun', change: { purpose: 'Translates chats and letters in nine languages' } },
    ],
    evolution: {
      state: 'idle',
      generation: 12,
      proposals: [{ field: 'agent_system_prompt', fitness: 0.97, verdict: 'accepted', daysAgo: 151 }],
    },
  },
  {
    key: 'faq',
    owner: 'maren',
    createdDaysAgo: 700,
    body: {
      agent_name: 'FAQ bot',
      model_name: 'gpt-4o',
      agent_system_prompt: 'You answer from the list of frequent questions.',
      agent_metadata: { role: 'support', tags: ['customers'], author: 'Maren Holt' },
    },
    events: [
      {
        daysAgo: 210,
        by: 'maren',
        change: { status: 'deprecated', purpose: 'Replaced by the order concierge' },
      },
      { daysAgo: 60, by: 'maren', change: { status: 'archived' } },
    ],
    evolution: { state: 'idle', generation: 0, proposals: [] },
  },
]
