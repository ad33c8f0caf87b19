import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { PERMISSIONS } from '../../../src/api/caller.ts'
import { COLLECTION, createAgent, getAgent } from '../../support/agents.ts'
import { useConsole } from '../../support/console.ts'
import { call, connectClient, REVISIONS, rpc, TOOL_CALLS, textOf } from '../../support/mcp.ts'

describe('access to the MCP server', async () => {
  const running = await useConsole()
  const owner = await running.person()
  const agent = await createAgent(running, owner)
  const metadata = `${running.url}/.well-known/oauth-protected-resource/mcp`
  const without = async (...missing: string[]) => {
    const scope = PERMISSIONS.filter((name) => !missing.includes(name)).join(' ')
    return (await running.person({ team: owner.team, scope })).token
  }

  const listed = async (token: string) => {
    const { body } = await rpc(running, 'tools/list', {}, { token })
    const tools = (body.result?.['tools'] ?? []) as { name: string }[]
    return tools.map(({ name }) => name)
  }

  for (const missing of PERMISSIONS) {
    it(`without ${missing}, tools that need it are not listed and answer with the scope to ask for`, async () => {
      const token = await without(missing)
      const names = Object.keys(TOOL_CALLS)
      const needing = names.filter((name) => TOOL_CALLS[name]?.permission === missing)
      assert.deepEqual(
        await listed(token),
        names.filter((name) => !needing.includes(name)),
      )
      const before = (await getAgent(running, owner, agent.id)).text
      for (const name of names) {
        const isRefused = needing.includes(name)
        const args = TOOL_CALLS[name]?.args(isRefused ? agent.id : randomUUID())
        const reply = await rpc(running, 'tools/call', { name, arguments: args }, { token })
        assert.equal(reply.status, isRefused ? 403 : 200, `${name} ${reply.text}`)
        const scopes = missing === 'agent:write' ? 'agent:read agent:write' : 'agent:write agent:read'
        assert.equal(
          reply.headers.get('www-authenticate'),
          isRefused
            ? `Bearer resource_metadata="${metadata}", error="insufficient_scope", scope="${scopes}"`
            : null,
        )
      }
      assert.equal((await getAgent(running, owner, agent.id)).text, before)
    })
  }

  it('with one permission alone, exactly its tools work', async () => {
    for (const permission of ['agent:read', 'agent:write']) {
      const { token } = await running.person({ team: owner.team, scope: permission })
      const expected = Object.keys(TOOL_CALLS).filter((name) => TOOL_CALLS[name]?.permission === permission)
      assert.deepEqual(await listed(token), expected)
      for (const name of expected) {
        const { id } = await createAgent(running, owner)
        const reply = await rpc(
          running,
          'tools/call',
          { name, arguments: TOOL_CALLS[name]?.args(id) },
          { token },
        )
        assert.equal(reply.status, 200)
        assert.equal(reply.body.result?.['isError'], undefined, `${name} ${reply.text}`)
      }
    }
  })

  it('resources and prompts need agent:read, and the audit log has the refusals', async () => {
    const token = await without('agent:read')
    for (const [method, params] of [
      ['resources/read', { uri: `agent://${agent.id}` }],
      ['prompts/get', { name: 'explain_outdated_score', arguments: { id: agent.id } }],
    ] as const) {
      const reply = await rpc(running, method, params, { token })
      assert.equal(reply.status, 403)
      assert.match(reply.headers.get('www-authenticate') ?? '', /insufficient_scope/)
    }
    for (const method of ['prompts/list', 'resources/templates/list']) {
      const { text } = await rpc(running, method, {}, { token })
      assert.doesNotMatch(text, /agent:\/\/|review_change/)
    }
    const path = '/v1/audit-events?action=permission_refused&via=mcp'
    const { body } = await running.request<{ results: { detail: object }[] }>('GET', path, owner)
    assert.deepEqual(body.results[0]?.detail, { permission: 'agent:read', method: 'POST', route: '/mcp' })
  })

  it('a change that would send a stored secret elsewhere is refused and recorded', async () => {
    const fields = { agent_url: 'https://a.example', api_key: 'sk-0123456789-0123456789' }
    const { id } = await createAgent(running, owner, fields)
    const client = await connectClient(running, await without('agent:secret'))
    const args = { id, revision: 1, set: { agent_url: 'https://elsewhere.example' } }
    const result = await call(client, 'update_agent', args)
    assert.equal(result.isError, true)
    assert.match(textOf(result), /would send a stored secret to another server/)
    assert.equal((await getAgent(running, owner, id)).body.agent_url, 'https://a.example')
    const path = `/v1/audit-events?action=permission_refused&agent_id=${id}`
    const { body } = await running.request<{ results: { via: string; detail: object }[] }>('GET', path, owner)
    assert.equal(body.results[0]?.via, 'mcp')
    assert.deepEqual(body.results[0]?.detail, { permission: 'agent:secret', method: 'POST', route: '/mcp' })
    const permitted = await connectClient(running, owner.token)
    assert.match(textOf(await call(permitted, 'update_agent', args)), /would send a stored secret to another/)
    assert.equal((await getAgent(running, owner, id)).body.agent_url, 'https://a.example')
  })

  for (const revision of REVISIONS) {
    it(`an agent of another team answers as one that does not exist (${revision})`, async () => {
      const stranger = await running.person()
      const client = await connectClient(running, stranger.token, { revision })
      const before = await getAgent(running, owner, agent.id)
      for (const [name, { args }] of Object.entries(TOOL_CALLS)) {
        const [foreign, random] = await Promise.all(
          [agent.id, randomUUID()].map(async (id) => {
            const result = await call(client, name, args(id))
            const text = JSON.stringify(result).replaceAll(id, 'the id')
            return text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'an id')
          }),
        )
        assert.equal(foreign, random, name)
        if (name === 'search_agents') assert.match(foreign ?? '', /"agents":\[\]/)
        else if (name !== 'create_agent') assert.match(foreign ?? '', /Your team has no agent with this id/)
      }
      for (const path of ['', '/revisions/1']) {
        await assert.rejects(client.readResource({ uri: `agent://${agent.id}${path}` }), /not found/i)
      }
      const after = await getAgent(running, owner, agent.id)
      assert.deepEqual([after.text, after.headers.get('etag')], [before.text, before.headers.get('etag')])
      const list = await running.request<{ results: { team_id: string }[] }>('GET', COLLECTION, stranger)
      assert.ok(list.body.results.every(({ team_id: team }) => team === stranger.team))
    })
  }
})
