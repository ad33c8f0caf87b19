import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { useConsole } from '../../support/console.ts'
import { itCannotBeSmuggledPast } from '../../support/smuggling.ts'

const ID = '3fa85f64-5717-4562-b3fc-2c963f66afa6'

describe('what the evolution service receives', async () => {
  const running = await useConsole()
  const person = await running.person()
  beforeEach(() => running.evolution.clearRequests())

  itCannotBeSmuggledPast({
    url: () => running.url,
    token: () => person.token,
    get: { prefix: '/v1/evolution/status/', id: ID, target: `/evolution/status/${ID}` },
    post: { path: '/v1/genomes', target: '/v1/genomes' },
    always: [
      'accept',
      'accept-encoding',
      'authorization',
      'connection',
      'host',
      'user-agent',
      'x-request-id',
    ],
    passed: [],
    host: () => new URL(running.evolution.url).host,
    received: () =>
      running.evolution
        .requests()
        .map(({ method, target, rawHeaders }) => ({ line: `${method} ${target}`, rawHeaders })),
    lastBody: () => running.evolution.requests().at(-1)?.body ?? Buffer.alloc(0),
    clear: () => running.evolution.clearRequests(),
  })

  it('is built from an id that is one, and nothing of the query', async () => {
    for (const tail of [`${ID};admin`, '%252e%252e', `${ID}?a=/admin&x=%0d%0a`]) {
      const reply = await running.request('GET', `/v1/evolution/status/${tail}`, { token: person.token })
      assert.equal(reply.status, 422)
    }
    assert.deepEqual(running.evolution.requests(), [])
    await running.request('GET', `/v1/evolution/status/${ID}`, { token: person.token })
    assert.equal(running.evolution.requests()[0]?.target, `/evolution/status/${ID}`)
  })
})
