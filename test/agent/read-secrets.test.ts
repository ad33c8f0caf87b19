import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { COLLECTION, createAgent, putAgent } from '../support/agents.ts'
import { startConsole, useConsole } from '../support/console.ts'

const KEY = 'sk-0123456789-"quoted"-é-WXYZ'
const TOKEN = 'ghp-0123456789-WXYZ'

describe('the secrets of an agent in clear', async () => {
  const running = await useConsole()
  const person = await running.person()

  const readSecrets = (id: string, by = person) =>
    running.request('GET', `${COLLECTION}/${id}/secrets`, { token: by.token })
  const eventsOf = async (id: string) =>
    (await running.request('GET', `/v1/audit-events?agent_id=${id}`, { token: person.token })).body.results

  it('are those that were written last, each in its place, null where there is none', async () => {
    const { id } = await createAgent(running, person, { api_key: 'sk-before' })
    await putAgent(running, person, id, { api_key: KEY })
    const first = await readSecrets(id)
    assert.equal(first.headers.get('cache-control'), 'no-store')
    assert.deepEqual(first.body, { api_key: KEY, white_box_config: { github_token: null }, secrets: {} })
    await putAgent(running, person, id, { api_key: null, white_box_config: { github_token: TOKEN } })
    assert.deepEqual((await readSecrets(id)).body, {
      api_key: null,
      white_box_config: { github_token: TOKEN },
      secrets: {},
    })
    await putAgent(running, person, id, { white_box_config: null })
    assert.deepEqual((await readSecrets(id)).body, {
      api_key: null,
      white_box_config: { github_token: null },
      secrets: {},
    })
  })

  it('write an audit event with the user and the names of the secrets', async () => {
    const { id } = await createAgent(running, person, {
      api_key: KEY,
      white_box_config: { github_token: TOKEN },
    })
    const other = await running.person({ team: person.team, scope: 'agent:secret' })
    await running.request('GET', `${COLLECTION}/${id}/secrets`, {
      token: other.token,
      headers: { 'x-request-id': 'read-1' },
    })
    const [event] = await eventsOf(id)
    assert.partialDeepStrictEqual(event, {
      ...{ action: 'secrets_read', user_id: other.user, agent_id: id, request_id: 'read-1' },
      detail: { fields: ['api_key', 'white_box_config.github_token'] },
    })
  })

  it('need their own permission, and write no audit event for an agent that does not exist', async () => {
    const { id } = await createAgent(running, person, { api_key: KEY })
    const scope = 'agent:read agent:write agent:lifecycle agent:delete audit:read'
    const refused = await readSecrets(id, await running.person({ team: person.team, scope }))
    assert.equal(refused.status, 403)
    assert.equal(refused.body.detail, 'This operation needs the permission agent:secret.')
    const unknown = randomUUID()
    assert.equal((await readSecrets(unknown)).status, 404)
    assert.deepEqual(await eventsOf(unknown), [])
    assert.equal((await readSecrets('x')).status, 422)
  })

  it('are not returned if the audit event cannot be written', async (t) => {
    const { id } = await createAgent(running, person, { api_key: KEY })
    await running.database.query(`ALTER TABLE audit_events ADD CONSTRAINT full_up CHECK (at < 0) NOT VALID`)
    t.after(() => running.database.query(`ALTER TABLE audit_events DROP CONSTRAINT full_up`))
    const reply = await readSecrets(id)
    assert.equal(reply.status, 500)
    assert.ok(!reply.text.includes('sk-'))
    const changed = await putAgent(running, person, id, { purpose: 'untraced' })
    assert.equal(changed.status, 500)
    const [row] = await running.database.query('SELECT purpose, revision FROM agents WHERE id = $1', [id])
    assert.deepEqual(row, { purpose: null, revision: '1' })
  })

  it('stay sealed where the keyring has lost their key, and the response gives no details', async (t) => {
    const { id } = await createAgent(running, person, { api_key: KEY })
    const other = await startConsole({
      environment: {
        DATABASE_URL: running.database.url,
        SECRETS_KEYS: `other:${randomBytes(32).toString('base64')}`,
      },
    })
    t.after(() => other.close())
    const { token } = await other.person({ team: person.team })
    const reply = await other.request('GET', `${COLLECTION}/${id}/secrets`, { token })
    assert.equal(reply.status, 500)
    assert.equal(reply.body.code, 'internal')
    assert.ok(other.logLines.join('').includes('The keyring has no key test'))
  })
})
