import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { COLLECTION, getAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'

describe('the examples of the document', async () => {
  const running = await useConsole()
  const person = await running.person()
  const { body: document } = await running.request('GET', '/openapi.json')
  const schemas: Record<string, { examples?: object[] }> = document.components.schemas
  /** The names of those that were sent, or compared with a response. */
  const executed: string[] = []

  const example = (name: string): Record<string, unknown> => {
    executed.push(name)
    return schemas[name]?.examples?.[0] as Record<string, unknown>
  }
  const send = async (method: string, path: string, json: object) => {
    const reply = await running.request(method, path, { token: person.token, json })
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`)
    return reply.body
  }

  /** The only example of a response of its own. */
  const responseExample = (path: string, method: string, status: number): Record<string, unknown> => {
    const { examples } = document.paths[path][method].responses[status].content['application/json']
    const [first] = Object.values<{ value: Record<string, unknown> }>(examples)
    return first?.value ?? {}
  }

  it('are accepted, and lead to the agent they show', async () => {
    const created = await send('POST', COLLECTION, example('AgentCreate'))
    const { id } = created
    assert.deepEqual(created, {
      ...responseExample(COLLECTION, 'post', 201),
      id,
      ...{ team_id: created.team_id, created_by: created.created_by },
      ...{ created_at: created.created_at, updated_at: created.updated_at },
    })
    await send('PUT', `${COLLECTION}/${id}`, example('AgentUpdate'))
    const { body } = await getAgent(running, person, id)
    const { team_id, created_by, created_at, updated_at } = body
    assert.deepEqual(body, { ...example('Agent'), id, team_id, created_by, created_at, updated_at })

    const evaluation = example('AgentEvaluation')
    const recorded = await send('PUT', `${COLLECTION}/${id}/latest-evaluation`, evaluation)
    assert.deepEqual(recorded, { ...evaluation, current: true })
    const series = await running.request('GET', `${COLLECTION}/${id}/evaluations/series`, {
      token: person.token,
    })
    assert.deepEqual(series.body, example('EvaluationSeries'))
    const lifecycle = example('AgentLifecycle')
    const moved = await send('PUT', `${COLLECTION}/${id}/lifecycle`, lifecycle)
    assert.equal(moved.trust_stage, lifecycle['trust_stage'])
    assert.deepEqual(moved, {
      ...responseExample(`${COLLECTION}/{id}/lifecycle`, 'put', 200),
      ...{ id, team_id, created_by, created_at },
      ...{ updated_at: moved.updated_at, trusted_at: moved.trusted_at, ttt_days: moved.ttt_days },
    })

    const permits = example('PermitRequest')
    const granted = await send('POST', `${COLLECTION}/${id}/request-budget`, permits)
    assert.equal(granted.granted, permits['count'])

    const shown = example('NamedSecret')
    const put = await send(
      'PUT',
      `${COLLECTION}/${id}/secrets/${String(shown['name'])}`,
      example('NamedSecretValue'),
    )
    assert.deepEqual(put, { ...shown, revision: put.revision })

    const content = example('SavedViewContent')
    const view = await send('PUT', '/v1/views/mine', content)
    assert.deepEqual([view.query, view.columns], [content['query'], content['columns']])
    const listed = await running.request('GET', `${COLLECTION}?${view.query}`, { token: person.token })
    assert.equal(listed.status, 200, listed.text)

    const { revision: current } = put
    const bulk = example('AgentBulk') as { agents: [object, object] }
    const { agents } = bulk
    const done = await send('POST', `${COLLECTION}/bulk`, {
      ...bulk,
      agents: [{ ...agents[0], id, revision: current }, agents[1]],
    })
    const result = example('AgentBulkResult') as { results: [object, object] }
    const [changed, failed] = result.results
    assert.deepEqual(done, { ...result, results: [{ ...changed, id, revision: current + 1 }, failed] })

    const { agent } = await send('PUT', '/v1/configuration-sets/files/agents/a', example('ManagedAgentWrite'))
    assert.equal(agent.skills.length, 1)
    const report = example('AgentImportResult') as { results: [object, object] }
    const imported = await send('POST', '/v1/agent-imports', example('AgentImport'))
    const [made, refused] = report.results
    const { agent_id } = imported.results[0]
    assert.deepEqual(imported, { ...report, results: [{ ...made, agent_id }, refused] })
    const again = await send('POST', '/v1/agent-imports', { rows: [example('AgentImportRow')] })
    assert.deepEqual(again.results[0].fields, ['status'])

    const redaction = example('RevisionRedaction') as { fields: string[] }
    await send('PUT', `${COLLECTION}/${id}`, { agent_url: 'https://new.example', mcp_config: {} })
    await send('POST', `${COLLECTION}/${id}/revisions/1/redact`, redaction)
    const revision = await running.request('GET', `${COLLECTION}/${id}/revisions?limit=1`, {
      token: person.token,
    })
    assert.deepEqual(revision.body.results[0].redacted, redaction.fields)
  })

  it('pass through to the evolution service and back', async () => {
    const genome = example('Genome')
    assert.deepEqual((await send('POST', '/v1/genomes/', genome)).genome, genome)
    const status = example('EvolutionStatus')
    running.evolution.misbehave('echo')
    running.evolution.answerWith(Buffer.from(JSON.stringify(status)))
    const reply = await running.request('GET', `/v1/evolution/status/${String(status['agent_id'])}`, {
      token: person.token,
    })
    assert.deepEqual(reply.body, status)
  })

  it('are all executed here', () => {
    const named = Object.keys(schemas).filter((name) => schemas[name]?.examples)
    assert.deepEqual(executed.toSorted(), named.toSorted())
  })
})
