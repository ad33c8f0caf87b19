import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAgent, getAgent, putAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'

describe('the size of an agent', async () => {
  const running = await useConsole()
  const person = await running.person()

  it('is limited, however many requests it takes to fill it', async () => {
    const { id } = await createAgent(running, person)
    const large = 'x'.repeat(200_000)
    const statuses = []
    for (const field of ['agent_params', 'mcp_config', 'agent_metadata', 'white_box_config']) {
      statuses.push((await putAgent(running, person, id, { [field]: { unknown: large } })).status)
    }
    assert.deepEqual(statuses, [200, 200, 413, 413])
    const refused = await putAgent(running, person, id, { agent_metadata: { unknown: large } })
    assert.equal((refused.body as unknown as { code: string }).code, 'agent_too_large')
  })

  it('lets the largest be read, edited and put back, even where each character is a quote or a line end', async () => {
    const { id } = await createAgent(running, person, {
      agent_system_prompt: '"'.repeat(262_144),
      purpose: '\n'.repeat(16_384),
    })
    await putAgent(running, person, id, { agent_metadata: { unknown: '\\'.repeat(110_000) } })
    const { body } = await getAgent(running, person, id)
    const reply = await putAgent(running, person, id, { ...body, purpose: 'edited' })
    assert.equal(reply.status, 200, reply.text.slice(0, 200))
    assert.equal(reply.headers.get('etag'), '"3"')
  })

  it('lets one of control characters, which take six bytes each, be put back in parts', async () => {
    const { id } = await createAgent(running, person, { agent_system_prompt: '\u0001'.repeat(170_000) })
    const purpose = '\u0001'.repeat(16_384)
    await putAgent(running, person, id, { purpose })
    const { body } = await getAgent(running, person, id)
    const whole = await putAgent(running, person, id, body)
    assert.equal((whole.body as unknown as { code: string }).code, 'body_too_large')
    const { agent_system_prompt, ...rest } = body
    for (const part of [{ agent_system_prompt }, rest]) {
      const reply = await putAgent(running, person, id, part)
      assert.deepEqual([reply.status, reply.headers.get('etag')], [200, '"2"'])
    }
  })

  it('is bounded with its scores, so that it can be put back together with them', async () => {
    const { id } = await createAgent(running, person)
    const record = (length: number) =>
      running.request('PUT', `/v1/agent-configurations/${id}/latest-evaluation`, {
        token: person.token,
        json: { evaluation_id: id, revision: 1, report: 'x'.repeat(length) },
      })
    const refused = await record(600_000)
    assert.equal(refused.status, 413)
    assert.equal(refused.body.code, 'agent_too_large')
    assert.equal((await record(400_000)).status, 200)
    assert.equal(
      (await putAgent(running, person, id, { agent_params: { x: 'x'.repeat(200_000) } })).status,
      413,
    )
    const { text } = await getAgent(running, person, `${id}?include_scores=true`)
    const path = `/v1/agent-configurations/${id}`
    const back = await running.request('PUT', path, { token: person.token, raw: text })
    assert.equal(back.status, 200, back.text.slice(0, 200))
  })

  it('limits a restore, too: the token of today counts', async () => {
    const filler = (length: number) => ({ agent_params: { unknown: 'x'.repeat(length) } })
    const { id } = await createAgent(running, person, filler(524_000))
    let room = 524_000
    while ((await putAgent(running, person, id, filler(room + 16))).status === 200) room += 16
    const full = (await getAgent(running, person, id)).headers.get('etag')?.slice(1, -1)
    await putAgent(running, person, id, { agent_params: null, white_box_config: { github_token: 'x' } })
    const path = `/v1/agent-configurations/${id}/revisions/${full}/restore`
    const reply = await running.request('POST', path, { token: person.token })
    assert.equal(reply.status, 413, reply.text.slice(0, 200))
    assert.equal(reply.body.code, 'agent_too_large')
  })

  it('is bounded in each text', async () => {
    const { id } = await createAgent(running, person)
    for (const body of [
      { white_box_config: { github_token: 'x'.repeat(8_193) } },
      { agent_metadata: { tags: ['ok', 'x'.repeat(256)] } },
      { delegated_agents: [{ url: 'x'.repeat(2_049) }] },
    ]) {
      const reply = await putAgent(running, person, id, body)
      assert.equal(reply.status, 422)
      const { detail } = reply.body as unknown as { detail: { type: string }[] }
      assert.equal(detail[0]?.type, 'string_too_long')
    }
  })
})
