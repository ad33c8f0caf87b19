interface Try {
  title: string
  command: string
}

interface Seeded {
  agentId: string
  evaluationId: string
}

/** A command to paste for each operation of the contract and for each service, complete with its token. */
export function commandsToTry(apiUrl: string, token: string, { agentId, evaluationId }: Seeded): Try[] {
  const send = (method: string, path: string, ...more: string[]) =>
    [`curl -sS -X ${method} '${apiUrl}${path}'`, `-H 'Authorization: Bearer ${token}'`, ...more].join(' ')
  const curl = (method: string, path: string, body?: object) =>
    send(
      method,
      path,
      ...(body ? ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body)}'`] : []),
    )
  const report = `/v1/evaluations/${evaluationId}/report`
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
    { title: 'See the services behind the console', command: curl('GET', '/v1/services') },
    { title: 'Read your team', command: curl('GET', '/v1/teams') },
    {
      title: 'Upload a report of an evaluation',
      command: send(
        'PUT',
        report,
        "-H 'Content-Type: application/octet-stream' --data-binary 'Nothing unsafe was found.'",
      ),
    },
    { title: 'Download the start of it', command: send('GET', report, "-H 'Range: bytes=0-13'") },
    { title: 'Follow telemetry', command: send('GET', '/v1/telemetry/events?limit=3', '-N') },
  ]
}
