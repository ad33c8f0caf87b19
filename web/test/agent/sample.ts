import type { Source } from '../../src/agent/fields/form.ts'

/** An agent with a value in most fields, and members that no field knows. */
export function sampleAgent(changes: Source = {}): Source {
  return {
    agent_name: 'Claims intake',
    model_name: 'gpt-5.4',
    hub: 'custom',
    protocol: 'chat_completions',
    status: 'active',
    access_level: 'grey_box',
    protection_status: 'configured',
    guard_manually_configured: false,
    rate_limit_requests_per_minute: 100,
    agent_url: 'https://claims.example/v2',
    api_key: '********cdef',
    agent_system_prompt: 'one\ntwo\nthree\nfour\nfive',
    purpose: null,
    test_score: '0.870',
    agent_params: { temperature: 0.2, max_tokens: 2048, seed: 7, rag_params: { top_k: 4 } },
    mcp_config: { proxy_url: 'https://mcp.example', server_urls: ['https://a.example', 'https://b.example'] },
    white_box_config: { repo_url: 'https://git.example/claims', github_token: '********1234' },
    agent_metadata: { role: 'intake', tags: ['claims', 'at'], cost_centre: { id: 'AT-9' } },
    delegated_agents: [
      { name: 'Notfall-Desk', url: 'https://desk.example', weight: 2 },
      { agent_card_url: 'https://card.example', capabilities: ['translate'] },
    ],
    ...changes,
  }
}
