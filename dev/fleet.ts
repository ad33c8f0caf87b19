/** A small fleet to look at: one agent of each kind a team is likely to have. */
const FLEET = [
  {
    agent_name: 'Invoice helper',
    model_name: 'gpt-5.4',
    agent_url: 'https://agents.example/invoice',
    api_key: 'sk-demo-4f9a8c7d6e5b4a3928171605',
    agent_system_prompt: 'You answer questions about invoices. Never promise a refund.',
    agent_params: { temperature: 0.2, max_tokens: 1024 },
    agent_metadata: { role: 'support', tags: ['billing'] },
    protection_status: 'guarded',
  },
  {
    agent_name: 'Travel planner',
    model_name: 'claude-sonnet-5',
    protocol: 'a2a',
    delegated_agents: [{ name: 'Flight search', url: 'https://agents.example/flights' }],
    skills: [{ id: 'plan', name: 'Plan a trip', input_modes: ['text'], output_modes: ['text'] }],
    capabilities: { streaming: true, delegation: true, tools: ['calendar'] },
    purpose: 'Plans business trips within the travel policy',
  },
  {
    agent_name: 'Code reviewer',
    model_name: 'gpt-5.4-codex',
    access_level: 'white_box',
    white_box_config: {
      repo_url: 'https://git.example/reviewer',
      repo_branch: 'main',
      github_token: 'ghp_demo_0123456789abcdefghij',
    },
    status: 'under_review',
    test_score: '87.5',
    evaluated_harnesses: ['security', 'safety'],
  },
  {
    agent_name: 'Warehouse dispatcher',
    model_name: 'llama-4-70b',
    access_level: 'grey_box',
    mcp_config: {
      proxy_url: 'https://mcp.example',
      access_level: 'write',
      server_urls: ['https://stock.example'],
    },
    rate_limit_requests_per_minute: 600,
    status: 'draft',
  },
]

/** Creates the fleet, through the API like anybody else, and answers the first agent's id. */
export async function seedFleet(apiUrl: string, token: string): Promise<string> {
  const ids = []
  for (const agent of FLEET) {
    const response = await fetch(`${apiUrl}/v1/agent-configurations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(agent),
    })
    if (response.status !== 201) throw new Error(`${agent.agent_name}: ${await response.text()}`)
    ids.push(((await response.json()) as { id: string }).id)
  }
  return ids[0] as string
}
