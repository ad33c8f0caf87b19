import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ValidationError } from '../../src/api/problem.ts'
import { useConsole } from '../support/console.ts'
import cases from './agent-update-cases.json' with { type: 'json' }

interface UpdateCase {
  name: string
  body: unknown
  status: number
  detail?: (ValidationError & { msg_is?: string })[]
}

describe('the answer to each body of the update operation', async () => {
  const running = await useConsole()
  const person = await running.person()
  const created = await running.request('POST', '/v1/agent-configurations', {
    token: person.token,
    json: { agent_name: 'A', model_name: 'm' },
  })
  const id = created.body.id

  it('covers all 190 cases', () => assert.equal(cases.cases.length, 190))

  for (const { name, body, status, detail } of cases.cases as UpdateCase[]) {
    it(name, async () => {
      const reply = await running.request('PUT', `/v1/agent-configurations/${id}`, {
        token: person.token,
        json: body,
      })
      assert.equal(reply.status, status)
      if (!detail) return
      assert.deepEqual(
        reply.body.detail.map(comparable(detail)),
        detail.map(({ loc, msg, type }) => ({ loc, msg, type })),
      )
    })
  }
})

/** Where a case gives only the start of a message, that much of the answer is compared. */
function comparable(expected: (ValidationError & { msg_is?: string })[]) {
  return (fault: ValidationError, index: number) => {
    const like = expected[index]
    return like?.msg_is === 'prefix' ? { ...fault, msg: fault.msg.slice(0, like.msg.length) } : fault
  }
}
