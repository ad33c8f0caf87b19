/** The examples of the document. A test sends the requests and compares the responses. */

export const AGENT_CREATE_EXAMPLE = {
  agent_name: 'Invoice helper',
  model_name: 'gpt-5.4',
  agent_url: 'https://agents.example/invoice',
  api_key: 'sk-example-4f9a8c7d6e5b4a39',
  agent_system_prompt: 'You answer questions about invoices.',
  agent_params: { temperature: 0.2, max_tokens: 1024 },
  agent_metadata: { role: 'support', tags: ['billing'] },
}

export const AGENT_UPDATE_EXAMPLE = {
  status: 'under_review',
  rate_limit_requests_per_minute: 60,
  purpose: 'Answers questions about invoices',
}

export const AGENT_EXAMPLE = {
  id: '01940b5e-7f4c-7a3b-9c1d-2e3f4a5b6c7d',
  agent_name: 'Invoice helper',
  model_name: 'gpt-5.4',
  team_id: '7d9f3a52-6c1e-4b8a-9f0d-3e2c1b0a9d8f',
  created_by: '0c7b9a64-2f3d-4e5c-8b1a-6d5e4f3c2b1a',
  created_at: 1_735_344_160,
  updated_at: 1_735_347_760,
  agent_url: 'https://agents.example/invoice',
  hub: 'custom',
  api_key: '********4a39',
  agent_system_prompt: 'You answer questions about invoices.',
  rate_limit_requests_per_minute: 60,
  status: 'under_review',
  access_level: 'black_box',
  agent_params: { temperature: 0.2, max_tokens: 1024 },
  mcp_config: null,
  delegated_agents: [],
  white_box_config: null,
  agent_metadata: { role: 'support', tags: ['billing'] },
  purpose: 'Answers questions about invoices',
  protocol: 'chat_completions',
  test_score: null,
  last_tested_by: null,
  evaluated_harnesses: null,
  last_evaluated_at: null,
  protection_status: 'unprotected',
  trust_stage: 'registered',
  trusted_at: null,
  ttt_days: null,
  guard_config_id: null,
  guard_manually_configured: false,
  import_metadata: { source: 'manual' },
  capabilities: {},
  skills: [],
}

/** The response to AGENT_CREATE_EXAMPLE: the secret that it sets is in clear text. */
export const AGENT_CREATED_EXAMPLE = {
  ...AGENT_EXAMPLE,
  ...AGENT_CREATE_EXAMPLE,
  updated_at: AGENT_EXAMPLE.created_at,
  rate_limit_requests_per_minute: 100,
  status: 'active',
  purpose: null,
}

export const AGENT_LIFECYCLE_EXAMPLE = { trust_stage: 'trusted', reason: 'Passed the hardening campaign' }

/** The response to AGENT_LIFECYCLE_EXAMPLE, one day after the creation. */
export const AGENT_TRUSTED_EXAMPLE = {
  ...AGENT_EXAMPLE,
  updated_at: AGENT_EXAMPLE.created_at + 86_400,
  trust_stage: 'trusted',
  trusted_at: AGENT_EXAMPLE.created_at + 86_400,
  ttt_days: 1,
}
