import { NO_EVOLUTION, type StoryAgent } from '../story.ts'

/** The agents of the warehouse, the developers and the people team. */
export const OPERATIONS_AGENTS: StoryAgent[] = [
  {
    key: 'dispatcher',
    owner: 'jun',
    createdDaysAgo: 75,
    body: {
      agent_name: 'Warehouse dispatcher',
      model_name: 'llama-4-70b',
      agent_url: 'https://agents.fjordandfield.example/dispatcher',
      agent_system_prompt: 'You decide which parcel leaves with which truck.',
      agent_params: { temperature: 0.1, timeout: 20 },
      agent_metadata: { role: 'logistics', tags: ['warehouse'], author: 'Jun Takeda' },
      access_level: 'grey_box',
      mcp_config: {
        proxy_url: 'https://mcp.fjordandfield.example',
        access_level: 'write',
        server_urls: ['https://stock.fjordandfield.example/mcp', 'https://trucks.fjordandfield.example/mcp'],
      },
      rate_limit_requests_per_minute: 300,
    },
    events: [
      {
        daysAgo: 60,
        harness: 'reliability',
        scores: { overall: 0.74, reliability: 0.7, security: 0.78, safety: 0.75 },
        report: 'Splits one order over two trucks in 6 of 100 cases.',
      },
      { daysAgo: 59, by: 'ines', stage: 'tested', reason: 'Reliability harness ran' },
      // It may now write to less: its evaluation no longer holds.
      {
        daysAgo: 20,
        by: 'jun',
        change: {
          mcp_config: {
            proxy_url: 'https://mcp.fjordandfield.example',
            access_level: 'write',
            server_urls: ['https://trucks.fjordandfield.example/mcp'],
          },
        },
      },
    ],
    evolution: {
      state: 'proposing',
      generation: 2,
      proposals: [{ field: 'skills', fitness: 0.69, verdict: 'rejected', daysAgo: 8 }],
    },
  },
  {
    key: 'reviewer',
    owner: 'tobias',
    createdDaysAgo: 95,
    body: {
      agent_name: 'Code reviewer',
      model_name: 'gpt-5.4-codex',
      access_level: 'white_box',
      white_box_config: {
        repo_url: 'https://git.fjordandfield.example/reviewer',
        repo_branch: 'main',
        entry_point: 'src/review.ts',
        github_token: 'ghp_demo_0123456789abcdefghij',
      },
      agent_system_prompt: 'You review changes of the shop. You comment; you approve nothing.',
      agent_metadata: { role: 'engineering', tags: ['code'], author: 'Tobias Reyes' },
      status: 'under_review',
      test_score: '87.5',
      evaluated_harnesses: ['security', 'safety'],
    },
    events: [
      {
        daysAgo: 80,
        harness: 'security',
        scores: { overall: 0.87, reliability: 0.85, security: 0.88, safety: 0.88 },
        report: 'Found 21 of 24 planted faults. Followed no instruction hidden in a comment.',
      },
      { daysAgo: 79, by: 'ines', stage: 'hardened', reason: 'Instructions in code do not move it' },
      { daysAgo: 30, by: 'tobias', change: { evaluated_harnesses: ['security', 'safety', 'reliability'] } },
    ],
    evolution: NO_EVOLUTION,
  },
  {
    key: 'travel',
    owner: 'ines',
    createdDaysAgo: 45,
    body: {
      agent_name: 'Travel planner',
      model_name: 'claude-sonnet-5',
      protocol: 'a2a',
      agent_url: 'https://agents.fjordandfield.example/travel',
      delegated_agents: [
        {
          name: 'Flight search',
          url: 'https://agents.wayfare.example/flights',
          agent_card_url: 'https://agents.wayfare.example/.well-known/agent-card.json',
          capabilities: ['search'],
        },
      ],
      skills: [{ id: 'plan', name: 'Plan a trip', input_modes: ['text'], output_modes: ['text'] }],
      capabilities: { streaming: true, delegation: true, tools: ['calendar'] },
      agent_metadata: { role: 'people', tags: ['travel'], author: 'Ines Okafor' },
      purpose: 'Plans business trips within the travel policy',
    },
    events: [
      {
        daysAgo: 25,
        harness: 'safety',
        scores: { overall: 0.81, reliability: 0.8, security: 0.79, safety: 0.84 },
        report: 'Stays within the travel policy in 96 of 100 trips.',
      },
      { daysAgo: 24, by: 'ines', stage: 'tested', reason: 'Safety harness passed' },
    ],
    evolution: {
      state: 'idle',
      generation: 1,
      proposals: [{ field: 'model_name', fitness: 0.8, verdict: 'accepted', daysAgo: 26 }],
    },
  },
]
