import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { beforeEach, describe, it } from 'node:test'
import type { Behind } from '../../support/behind.ts'
import { operation, useMounted } from '../../support/mounted.ts'
import { itCannotBeSmuggledPast } from '../../support/smuggling.ts'

describe('what a mounted service receives', async () => {
  let lastBody = Buffer.alloc(0)
  const mounted = await useMounted({
    basePath: '/base',
    operations: [operation(), operation({ path: '/v1/things', method: 'POST' })],
  })
  const behind = mounted.behind['things'] as Behind
  behind.behave(async (request, response) => {
    lastBody = await buffer(request)
    response.end('{}')
  })
  const person = await mounted.running.person()

  beforeEach(() => {
    behind.asked.length = 0
  })

  itCannotBeSmuggledPast({
    url: () => mounted.running.url,
    token: () => person.token,
    get: { prefix: '/v1/things/', id: '7', target: '/base/v1/things/7' },
    post: { path: '/v1/things', target: '/base/v1/things' },
    always: ['authorization', 'connection', 'console-team', 'host', 'user-agent', 'x-request-id'],
    passed: ['accept', 'accept-encoding', 'if-none-match', 'range'],
    host: () => new URL(behind.url).host,
    received: () => behind.asked,
    lastBody: () => lastBody,
    clear: () => {
      behind.asked.length = 0
    },
  })

  it('is one segment for one parameter, however often it was encoded', async () => {
    for (const [value, sent] of [
      ['7;admin', '7%3Badmin'],
      ['%252e%252e', '%252e%252e'],
      ['..%252fadmin', '..%252fadmin'],
      ['a%3Fb=c%23d', 'a%3Fb%3Dc%23d'],
    ] as const) {
      behind.asked.length = 0
      const reply = await mounted.running.request('GET', `/v1/things/${value}`, { token: person.token })
      assert.equal(reply.status, 200)
      assert.equal(behind.asked[0]?.line, `GET /base/v1/things/${sent}`)
    }
  })
})
