import assert from 'node:assert/strict'
import { type ClientRequest, request } from 'node:http'
import { describe, it } from 'node:test'
import { type Person, useConsole } from '../support/console.ts'
import { until } from '../support/until.ts'

const MIB = 1024 * 1024

describe('the memory for request bodies', async () => {
  const running = await useConsole({ environment: { MAX_RECEIVED_BYTES: String(6 * MIB) } })

  /** Announces a large body, sends a byte of it, and returns the status of the response. */
  const begin = ({ token }: Person, sent: ClientRequest[]) => {
    const one = request(`${running.url}/v1/agent-configurations`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': String(MIB),
      },
    })
    sent.push(one)
    return new Promise<number | undefined>((resolve) => {
      one
        .on('response', ({ statusCode }) => resolve(statusCode))
        .on('error', () => resolve(undefined))
        .write('{')
    })
  }
  const create = ({ token }: Person) =>
    running.request('POST', '/v1/agent-configurations', {
      token,
      json: { agent_name: 'a', model_name: 'm' },
    })

  it('is shared by the teams: one that fills its half is refused, another is served', async (t) => {
    const [greedy, other] = [await running.person(), await running.person()]
    const sent: ClientRequest[] = []
    t.after(() => {
      for (const one of sent) one.destroy()
    })
    const statuses: (number | undefined)[] = []
    for (let n = 0; n < 6; n++) void begin(greedy, sent).then((status) => statuses.push(status))
    await until('what is too much is refused', () => statuses.length >= 3)
    assert.deepEqual(statuses, [429, 429, 429])
    assert.equal((await create(other)).status, 201)
    const refused = await create(greedy)
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_requests'])
    assert.equal(refused.headers.get('retry-after'), '1')
    for (const one of sent) one.destroy()
    await until('the memory is given back', async () => (await create(greedy)).status === 201)
  })
})
