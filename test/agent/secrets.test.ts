import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { createAgent, getAgent, putAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'

const LONG = 'sk-0123456789-abcdefghij-WXYZ'
const LONG_MASK = '********WXYZ'
const SHORT = 'short-key'
const SHORT_MASK = '********'

describe('a secret', async () => {
  const running = await useConsole()
  const person = await running.person()
  /** Read, written and expected in both places where an agent has a secret. */
  const PLACES = {
    api_key: {
      body: (secret: string | null) => ({ api_key: secret }),
      shown: (agent: { api_key?: string | null }) => agent.api_key,
      loc: ['body', 'api_key'],
    },
    'white_box_config.github_token': {
      body: (secret: string | null) => ({ white_box_config: { repo_url: 'r', github_token: secret } }),
      shown: (agent: { white_box_config?: { github_token?: string | null } | null }) =>
        agent.white_box_config?.github_token,
      loc: ['body', 'white_box_config', 'github_token'],
    },
  }

  for (const [name, { body, shown, loc }] of Object.entries(PLACES)) {
    it(`${name} is echoed to the write that supplied it and masked to every other`, async () => {
      const created = await createAgent(running, person, body(LONG))
      assert.equal(shown(created), LONG)
      assert.equal(shown((await getAgent(running, person, created.id)).body), LONG_MASK)
      assert.equal(shown((await putAgent(running, person, created.id, { purpose: 'x' })).body), LONG_MASK)
      assert.equal(shown((await putAgent(running, person, created.id, body(SHORT))).body), SHORT)
      assert.equal(shown((await getAgent(running, person, created.id)).body), SHORT_MASK)
      assert.equal(shown((await putAgent(running, person, created.id, body(null))).body), null)
      assert.equal(shown((await getAgent(running, person, created.id)).body), null)
    })

    it(`${name} survives its own mask being written back, without a revision`, async () => {
      const { id } = await createAgent(running, person, body(LONG))
      const sealed = await sealedOf(id)
      const reply = await putAgent(running, person, id, body(LONG_MASK))
      assert.equal(reply.status, 200, reply.text)
      assert.equal(shown(reply.body), LONG_MASK)
      assert.equal(reply.headers.get('etag'), '"1"')
      assert.deepEqual(await sealedOf(id), sealed)
    })

    it(`${name} refuses a mask that is not its own, and changes nothing`, async () => {
      const { id } = await createAgent(running, person, body(LONG))
      const bare = await createAgent(running, person)
      for (const [target, mask] of [
        [id, '********abcd'],
        [id, SHORT_MASK],
        [bare.id, LONG_MASK],
        [bare.id, SHORT_MASK],
      ] as const) {
        const reply = await putAgent(running, person, target, { ...body(mask), purpose: 'changed' })
        assert.equal(reply.status, 422, mask)
        const { detail } = reply.body as unknown as { detail: { loc: string[]; type: string }[] }
        assert.deepEqual(
          detail.map((fault) => fault.loc),
          [loc],
        )
        assert.equal((await getAgent(running, person, target)).body.purpose, null)
      }
      const created = await running.request('POST', '/v1/agent-configurations', {
        token: person.token,
        json: { agent_name: 'A', model_name: 'm', ...body(SHORT_MASK) },
      })
      assert.equal(created.status, 422)
    })

    it(`${name} supplied again unchanged makes no revision, another with the same mask does`, async () => {
      const { id } = await createAgent(running, person, body(SHORT))
      assert.equal((await putAgent(running, person, id, body(SHORT))).headers.get('etag'), '"1"')
      const other = await putAgent(running, person, id, body('other'))
      assert.equal(other.headers.get('etag'), '"2"')
      assert.equal(shown(other.body), 'other')
      assert.equal((await putAgent(running, person, id, body(SHORT))).headers.get('etag'), '"3"')
    })

    it(`${name} is stored sealed: the database holds no text of it`, async () => {
      const canary = `canary-${randomBytes(16).toString('hex')}`
      const { id } = await createAgent(running, person, body(canary))
      const [row] = await running.database.query<{ text: string }>(
        `SELECT agents::text AS text FROM agents WHERE id = $1`,
        [id],
      )
      assert.ok(!row?.text.includes(canary))
      assert.ok(!row?.text.includes(Buffer.from(canary).toString('hex')))
      assert.ok(!running.logLines.join('').includes(canary))
    })
  }

  it('of a configuration that is replaced without its token is gone', async () => {
    const { id } = await createAgent(running, person, { white_box_config: { github_token: LONG } })
    const reply = await putAgent(running, person, id, { white_box_config: { repo_url: 'r' } })
    assert.deepEqual(reply.body.white_box_config, { repo_url: 'r' })
    const [row] = await running.database.query<{ github_token_sealed: Buffer | null }>(
      'SELECT github_token_sealed FROM agents WHERE id = $1',
      [id],
    )
    assert.equal(row?.github_token_sealed, null)
  })

  it('opens only in its own place, and under any key of the ring', async () => {
    const { id } = await createAgent(running, person, { api_key: LONG })
    const { api_key_sealed: sealed } = await sealedOf(id)
    const { secrets } = running.core
    const place = { teamId: person.team, agentId: id, field: 'api_key' }
    assert.equal(secrets.open(place, sealed).reveal(), LONG)
    for (const elsewhere of [
      { ...place, teamId: id },
      { ...place, agentId: person.team },
      { ...place, field: 'github_token' },
    ]) {
      assert.throws(() => secrets.open(elsewhere, sealed))
    }
  })

  async function sealedOf(id: string): Promise<{ api_key_sealed: Buffer; github_token_sealed: Buffer }> {
    const [row] = await running.database.query<{ api_key_sealed: Buffer; github_token_sealed: Buffer }>(
      'SELECT api_key_sealed, github_token_sealed FROM agents WHERE id = $1',
      [id],
    )
    assert.ok(row)
    return row
  }
})
