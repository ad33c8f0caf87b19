import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAgent, getAgent } from '../../support/agents.ts'
import { type Person, useConsole } from '../../support/console.ts'
import { call, connectClient, rpc, textOf } from '../../support/mcp.ts'

const ACCEPTED = { confirm: { action: 'accept', content: { confirm: true } } }

describe('a change through a client that can ask its user', async () => {
  let nowMs = Date.now()
  const running = await useConsole({ overrides: { now: () => nowMs } })
  const person = await running.person()
  const purposeOf = async (id: string) => (await getAgent(running, person, id)).body.purpose

  it('is made after the user has confirmed it, and shows no text of the agent', async () => {
    const { id } = await createAgent(running, person, { agent_name: 'Call me' })
    const asked: string[] = []
    const client = await connectClient(running, person.token, {
      onQuestion: (message) => {
        asked.push(message)
        return { action: 'accept', content: { confirm: true } }
      },
    })
    const changed = await call(client, 'update_agent', { id, revision: 1, set: { purpose: 'new', hub: 'x' } })
    assert.notEqual(changed.isError, true, textOf(changed))
    const restored = await call(client, 'restore_revision', { id, revision: 2, restore: 1 })
    assert.notEqual(restored.isError, true, textOf(restored))
    assert.deepEqual(asked, [
      `Change agent ${id} at revision 1? Fields: hub, purpose.`,
      `Restore revision 1 of agent ${id}, which is at revision 2? Fields that differ: hub, purpose.`,
    ])
    // Nothing to ask: a creation replaces nothing, and these change nothing or fail.
    const agent = { agent_name: 'New', model_name: 'model' }
    await call(client, 'create_agent', { idempotency_key: 'one', agent })
    await call(client, 'update_agent', { id, revision: 3, set: { hub: 'custom' } })
    await call(client, 'update_agent', { id, revision: 1, set: { hub: 'y' } })
    await call(client, 'restore_revision', { id, revision: 1, restore: 1 })
    assert.equal(asked.length, 2)
  })

  for (const [answer, reply] of Object.entries({
    'declines it': { action: 'decline' as const },
    'closes the question': { action: 'cancel' as const },
    'leaves the box empty': { action: 'accept' as const, content: { confirm: false } },
  })) {
    it(`is not made if the user ${answer}`, async () => {
      const { id } = await createAgent(running, person)
      const client = await connectClient(running, person.token, { onQuestion: () => reply })
      const result = await call(client, 'update_agent', { id, revision: 1, set: { purpose: 'new' } })
      assert.equal(result.isError, true)
      assert.match(textOf(result), /did not confirm the change. Nothing was changed/)
      assert.equal(await purposeOf(id), null)
    })
  }

  const send = (by: Person, args: object, more: object = {}, name = 'update_agent') =>
    rpc(
      running,
      'tools/call',
      { name, arguments: args, ...more },
      { token: by.token, capabilities: { elicitation: {} } },
    )
  const ask = async (by: Person, args: object) => {
    const { body } = await send(by, args)
    assert.equal(body.result?.resultType, 'input_required')
    return body.result?.requestState ?? assert.fail('no state')
  }

  it('needs the state of the same user, team, tool and arguments, unchanged and in time', async () => {
    const { id } = await createAgent(running, person)
    const args = { id, revision: 1, set: { purpose: 'new' } }
    const state = await ask(person, args)
    assert.ok(!Buffer.from(state, 'base64url').toString('latin1').includes(person.user), 'It is sealed')
    const colleague = await running.person({ team: person.team })
    const stranger = await running.person()
    const middle = Math.floor(state.length / 2)
    const damaged = state.slice(0, middle) + (state[middle] === 'A' ? 'B' : 'A') + state.slice(middle + 1)
    const refused: [string, Person, object, string?, string?][] = [
      ['another user', colleague, args],
      ['another team', stranger, args],
      ['other arguments', person, { ...args, set: { purpose: 'other' } }],
      ['another tool', person, args, state, 'restore_revision'],
      ['a damaged state', person, args, damaged],
      ['no state of the console', person, args, 'AAAA'],
      ['an empty state', person, args, ''],
    ]
    for (const [what, by, given, other = state, name] of refused) {
      const more = { requestState: other, inputResponses: ACCEPTED }
      const { body } = await send(by, given, more, name)
      assert.equal(body.error?.code, -32_602, `${what}: ${JSON.stringify(body)}`)
      assert.equal(await purposeOf(id), null, what)
    }
    nowMs += 601_000
    const late = await send(person, args, { requestState: state, inputResponses: ACCEPTED })
    assert.equal(late.body.error?.code, -32_602)
    assert.equal(await purposeOf(id), null)

    const fresh = { requestState: await ask(person, args), inputResponses: ACCEPTED }
    assert.equal((await send(person, args, fresh)).body.result?.['isError'], undefined)
    assert.equal(await purposeOf(id), 'new')
    // A second use changes nothing: the agent is at another revision now.
    assert.match((await send(person, args, fresh)).text, /revision_stale/)
  })

  it('is asked for again if the answer comes without the question', async () => {
    const { id } = await createAgent(running, person)
    const args = { id, revision: 1, set: { purpose: 'new' } }
    const { body } = await send(person, args, { inputResponses: ACCEPTED })
    assert.equal(body.result?.resultType, 'input_required')
    assert.equal(await purposeOf(id), null)
  })

  it('is made at once if the client cannot ask', async () => {
    const { id } = await createAgent(running, person)
    const client = await connectClient(running, person.token)
    await call(client, 'update_agent', { id, revision: 1, set: { purpose: 'new' } })
    assert.equal(await purposeOf(id), 'new')
  })
})
