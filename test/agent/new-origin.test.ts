import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { COLLECTION, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { type Reply, useConsole } from '../support/console.ts'

const KEY = 'sk-0123456789-abcdefghij-WXYZ'
const MASK = '********WXYZ'

describe('a stored secret', async () => {
  const running = await useConsole()
  const person = await running.person()
  const writer = await running.person({ team: person.team, scope: 'agent:read agent:write audit:read' })

  const refused = (reply: Reply) => {
    assert.equal(reply.status, 403, reply.text)
    const { code, detail } = reply.body as { code: string; detail: string }
    assert.equal(code, 'permission_missing')
    assert.match(detail, /would move to another origin.* Send the .* again .* agent:secret\.$/)
  }
  const unchanged = async (id: string, etag: string) =>
    assert.equal((await getAgent(running, person, id)).headers.get('etag'), etag)

  const PLACES = {
    api_key: (url: string | null, secret?: string | null) => ({
      agent_url: url,
      ...(secret === undefined ? {} : { api_key: secret }),
    }),
    // The configuration is replaced as a whole: without its mask, the token is cleared.
    github_token: (url: string | null, secret: string | null = MASK) => ({
      white_box_config: { repo_url: url, github_token: secret },
    }),
  }
  for (const [secret, body] of Object.entries(PLACES)) {
    const start = (url: string | null) => createAgent(running, person, body(url, KEY))

    it(`${secret} is not sent to another origin by who does not know it`, async () => {
      const { id } = await start('https://agents.example/v1')
      for (const url of [
        'https://evil.example/v1',
        'http://agents.example/v1',
        'https://agents.example:8443/v1',
        'https://agents.example.evil.example/',
        'evil.example',
        'https:evil.example',
        // Browsers read the first host, other programs a name below evil.example.
        String.raw`https://agents.example\.evil.example/`,
        'https://agents.example\n.evil.example/',
      ]) {
        refused(await putAgent(running, writer, id, body(url)))
        refused(await putAgent(running, writer, id, body(url, MASK)))
      }
      await unchanged(id, '"1"')
    })

    it(`${secret} stays with its origin: another path is no other origin`, async () => {
      const { id } = await start('https://agents.example/v1')
      for (const url of ['https://agents.example/v2?x=1', 'HTTPS://AGENTS.example:443/', null]) {
        const reply = await putAgent(running, writer, id, body(url))
        assert.equal(reply.status, 200, reply.text)
      }
      refused(await putAgent(running, writer, id, body('https://agents.example/v1')))
    })

    it(`${secret} may go elsewhere when it is sent again, replaced or cleared, or with the permission`, async () => {
      for (const given of [KEY, 'sk-another', null]) {
        const { id } = await start('https://agents.example')
        const reply = await putAgent(running, writer, id, body('https://new.example', given))
        assert.equal(reply.status, 200, reply.text)
      }
      const { id } = await start('https://agents.example')
      const reader = await running.person({ team: person.team, scope: 'agent:write agent:secret' })
      assert.equal((await putAgent(running, reader, id, body('https://new.example'))).status, 200)
      const bare = await createAgent(running, person, body('https://agents.example', null))
      assert.equal((await putAgent(running, writer, bare.id, body('https://new.example', null))).status, 200)
    })

    it(`${secret} does not go back to another origin by a restore`, async () => {
      const { id } = await start('https://old.example')
      await putAgent(running, person, id, body('https://new.example', KEY))
      const path = `${COLLECTION}/${id}/revisions/1/restore`
      refused(await running.request('POST', path, { token: writer.token }))
      await unchanged(id, '"2"')
      assert.equal((await running.request('POST', path, { token: person.token })).status, 200)
    })
  }

  it('that was to go elsewhere leaves an audit event', async () => {
    const { id } = await createAgent(running, person, { agent_url: 'https://agents.example', api_key: KEY })
    const other = await running.person({ team: person.team, scope: 'agent:write' })
    refused(await putAgent(running, other, id, { agent_url: 'https://evil.example' }))
    const { body } = await running.request('GET', `/v1/audit-events?agent_id=${id}&limit=1`, {
      token: person.token,
    })
    assert.partialDeepStrictEqual(body.results[0], {
      ...{ action: 'permission_refused', user_id: other.user, agent_id: id },
      detail: { permission: 'agent:secret', method: 'PUT', route: '/v1/agent-configurations/:id' },
    })
  })
})
