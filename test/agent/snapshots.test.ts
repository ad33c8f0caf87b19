import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Agent } from '../../src/agent/schema.ts'
import { COLLECTION, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'

describe('every hundredth revision of an agent', async () => {
  const running = await useConsole()
  const person = await running.person()

  const send = (method: string, path: string, json?: object) =>
    running.request(method, `${COLLECTION}/${path}`, { token: person.token, json })

  it('holds the agent as it is then, whatever made the revision, and older ones are read from it', async () => {
    const { id } = await createAgent(running, person, {
      agent_params: { temperature: 1e300, z: 1, a: 2 },
      test_score: '12345678901234567890.50',
      api_key: 'sk-first-0123456789-AAAA',
      white_box_config: { repo_url: 'a', github_token: 'ghp-first-0123456789-AAAA' },
    })
    const states: Agent[] = [(await getAgent(running, person, id)).body]
    const change = async (revision: number) => {
      if (revision === 200) return send('POST', `${id}/revisions/1/restore`)
      if (revision === 300) return send('PUT', `${id}/lifecycle`, { trust_stage: 'trusted' })
      const special: Record<number, object> = {
        2: { agent_params: null, test_score: null },
        3: { api_key: 'sk-second-0123456789-BBBB' },
        150: { api_key: null, white_box_config: { repo_url: 'b', github_token: 'ghp-0123456789-CCCC-DDDD' } },
        201: { delegated_agents: [{ name: 'x' }], agent_params: { q: 0.1 } },
        250: { white_box_config: null },
      }
      return putAgent(running, person, id, special[revision] ?? { purpose: `at ${revision}` })
    }
    for (let revision = 2; revision <= 303; revision++) {
      const reply = await change(revision)
      assert.equal(reply.headers.get('etag'), `"${revision}"`, reply.text)
      states.push((await getAgent(running, person, id)).body)
    }
    for (const [index, state] of states.entries()) {
      const { body } = await send('GET', `${id}/revisions/${index + 1}`)
      assert.deepEqual(body, state, `revision ${index + 1}`)
    }
    const rows = await running.database.query<{ revision: string; snapshot: Record<string, unknown> }>(
      'SELECT revision, snapshot FROM agent_revisions WHERE agent_id = $1 AND snapshot IS NOT NULL ORDER BY revision',
      [id],
    )
    assert.deepEqual(
      rows.map(({ revision }) => Number(revision)),
      [100, 200, 300],
    )
    for (const { snapshot } of rows) {
      assert.deepEqual(
        Object.keys(snapshot).filter((name) => /sealed|fingerprint/.test(name)),
        [],
      )
    }
    assert.deepEqual(
      rows.map(({ snapshot }) => [snapshot['api_key_revision'], snapshot['github_token_revision']]),
      [
        [3, 1],
        [null, 150],
        [null, null],
      ],
    )
    const differing = async (revision: number, against: number) =>
      (await send('GET', `${id}/revisions/${revision}/diff?against=${against}`)).body.changes.map(
        ({ field }: { field: string }) => field,
      )
    assert.deepEqual(await differing(303, 299), ['purpose', 'trust_stage', 'trusted_at', 'ttt_days'])
    assert.deepEqual(await differing(99, 1), ['api_key', 'agent_params', 'purpose', 'test_score'])
    assert.deepEqual(await differing(200, 1), ['api_key', 'white_box_config'])
  })
})
