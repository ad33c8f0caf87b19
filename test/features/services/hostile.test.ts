import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { clientSecret } from '../../../dev/issuer/client.ts'
import { createAgent } from '../../support/agents.ts'
import { exchangeClientId } from '../../support/issuer/exchange.ts'
import { startIssuer } from '../../support/issuer/issuer.ts'
import { callOperation, readOperations } from '../../support/permission-matrix.ts'
import { document, returning, sending } from '../../support/service-documents.ts'
import { usePolling, usePublishing } from './publishing.ts'

/** A service that keeps all that it receives, and then tries it at the console as its callers would. */
describe('a hostile mounted service', async () => {
  const modes = ['assert', 'exchange', 'pass'] as const
  const behind = Object.fromEntries(
    await Promise.all(
      modes.map(async (name) => {
        const paths = { [`/v1/${name}`]: { get: returning({}), post: sending({}) } }
        return [name, await usePublishing(document(paths))] as const
      }),
    ),
  )
  const { running, becomes } = await usePolling(
    Object.fromEntries(modes.map((token) => [token, { token, url: behind[token]?.url ?? '' }])),
    {
      issuer: await startIssuer(),
      environment: { EXCHANGE_CLIENT_ID: exchangeClientId, EXCHANGE_CLIENT_SECRET: clientSecret },
    },
  )
  for (const mode of modes) await becomes(mode, ({ state }) => state === 'up')
  const victim = await running.person()
  const agent = await createAgent(running, victim, { api_key: 'sk-0123456789abcdef0123' })
  const operations = readOperations((await running.request('GET', '/openapi.json')).body)

  /** Every header value, and every word of one, that the service has received. */
  const collect = async (mode: string): Promise<string[]> => {
    const before = behind[mode]?.asked.length ?? 0
    await running.request('GET', `/v1/${mode}`, { token: victim.token })
    await running.request('POST', `/v1/${mode}`, { token: victim.token, json: {} })
    const received =
      behind[mode]?.asked.slice(before).filter(({ line }) => line.includes(`/v1/${mode}`)) ?? []
    assert.equal(received.length, 2)
    const values = received.flatMap(({ rawHeaders }) => rawHeaders.filter((_, index) => index % 2 === 1))
    return [...new Set(values.flatMap((value) => [value, ...value.split(/[\s,;=]+/)]))].filter(Boolean)
  }
  const attempt = (value: string, one: (typeof operations)[number]) =>
    callOperation(running.url, one, value.startsWith('Bearer ') ? value : `Bearer ${value}`, agent.id)

  for (const mode of ['assert', 'exchange'] as const) {
    it(`with \`token: ${mode}\` can do nothing at the console with what it receives`, async () => {
      const values = await collect(mode)
      assert.ok(
        values.some((value) => value.split('.').length === 3),
        'it received a token',
      )
      assert.ok(!values.some((value) => value.includes(victim.token)))
      let attempts = 0
      for (const value of values) {
        for (const one of operations) {
          const reply = await attempt(value, one)
          assert.equal(reply.status, 401, `${one.method} ${one.path} with ${value}: ${reply.status}`)
          attempts += 1
        }
      }
      assert.ok(attempts >= 2 * operations.length)
      const { status, body } = await running.request('GET', `/v1/agent-configurations/${agent.id}`, {
        token: victim.token,
      })
      assert.deepEqual([status, body], [200, { ...agent, api_key: body.api_key }])
    })

    it(`with \`token: ${mode}\` cannot exchange what it receives for more`, async () => {
      const token = (await collect(mode)).find((value) => value.split('.').length === 3) ?? ''
      const response = await fetch(`${running.issuer.url}/token`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`${exchangeClientId}:${clientSecret}`).toString('base64')}`,
        },
        body: new URLSearchParams({
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          subject_token: token,
          subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
          audience: 'anything',
        }),
      })
      assert.equal(response.status, 400)
    })
  }

  it('with `token: pass` can do what its caller can, as the documentation says', async () => {
    const values = await collect('pass')
    assert.ok(values.includes(victim.token))
    const headers = { authorization: `Bearer ${victim.token}` }
    const secrets = await running.request('GET', `/v1/agent-configurations/${agent.id}/secrets`, { headers })
    assert.equal(secrets.body.api_key, 'sk-0123456789abcdef0123')
    const erased = await running.request('DELETE', `/v1/agent-configurations/${agent.id}?erase=true`, {
      headers,
    })
    assert.equal(erased.status, 204)
  })
})
