interface Try {
  title: string
  command: string
}

/** A command to paste for each operation of the contract, complete with its token. */
export function commandsToTry(apiUrl: string, token: string, agentId: string): Try[] {
  const curl = (method: string, path: string, body?: object) =>
    [
      `curl -sS -X ${method} '${apiUrl}${path}'`,
      `-H 'Authorization: Bearer ${token}'`,
      ...(body ? ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`] : []),
    ].join(' ')
  return [
    {
      title: 'Watch changes as they happen, in a terminal of its own',
      command: curl('GET', '/v1/agent-configurations/events').replace('curl', 'curl -N'),
    },
    { title: 'Read an agent', command: curl('GET', `/v1/agent-configurations/${agentId}`) },
    {
      title: 'Update its configuration',
      command: curl('PUT', `/v1/agent-configurations/${agentId}`, {
        status: 'under_review',
        rate_limit_requests_per_minute: 60,
      }),
    },
    { title: 'Read its evolution status', command: curl('GET', `/v1/evolution/status/${agentId}`) },
    {
      title: 'Seed a genome',
      command: curl('POST', '/v1/genomes/', { name: 'polite-negotiator', traits: { temperature: 0.4 } }),
    },
  ]
}
