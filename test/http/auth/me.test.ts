import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { PERMISSIONS } from '../../../src/api/caller.ts'
import { startConsole } from '../../support/console.ts'
import { signed } from '../../support/forgeries.ts'
import { refused, useScene } from '../../support/identity-scene.ts'

describe('GET /v1/me', async () => {
  const scene = await useScene({ AUTH_ROLES: '{"reader": ["agent:read"]}' })
  const get = (token: string | null) => scene.running.request('GET', '/v1/me', { token })

  it('tells the caller who it is for the console', async () => {
    const claims = scene.claims()
    const details = {
      name: 'Ann Lee',
      azp: 'web',
      scope: 'openid agent:write reader',
      exp: Number(claims['exp']) + 0.5,
    }
    const { status, body, headers } = await get(signed(scene, { ...claims, ...details }))
    assert.equal(status, 200)
    assert.deepEqual(body, {
      user_id: claims['sub'],
      team_id: claims['team_id'],
      name: 'Ann Lee',
      permissions: ['agent:read', 'agent:write'],
      client_id: 'web',
      expires_at: claims['exp'],
    })
    assert.equal(headers.get('cache-control'), 'no-store')
  })

  it('needs no permission, but a valid token, a user and a team', async () => {
    const { body } = await get(signed(scene, { ...scene.claims(), scope: undefined }))
    assert.deepEqual([body.permissions, body.name, body.client_id], [[], null, null])
    refused(await get('x'))
    for (const [claim, code] of Object.entries({ sub: 'user_missing', team_id: 'team_missing' })) {
      const reply = await get(signed(scene, { ...scene.claims(), [claim]: undefined }))
      assert.deepEqual([reply.status, reply.body.code], [403, code])
    }
  })
})

describe('the metadata of the protected resource (RFC 9728)', () => {
  const METADATA = '/.well-known/oauth-protected-resource'

  it('names the issuer and the scopes, at the address that the client uses', async (t) => {
    const running = await startConsole()
    t.after(() => running.close())
    const { status, body } = await running.request('GET', METADATA)
    assert.equal(status, 200)
    assert.deepEqual(body, {
      resource: running.url,
      authorization_servers: [running.issuer.url],
      scopes_supported: PERMISSIONS,
      bearer_methods_supported: ['header'],
      resource_name: 'Agent Console',
    })
    const at = async (host: string) => {
      const { json, headers } = await inject(host, METADATA)
      const unauthenticated = await inject(host, '/v1/me')
      return [headers['cache-control'], json()['resource'], unauthenticated.headers['www-authenticate']]
    }
    const inject = (host: string, url: string) => running.app.inject({ url, headers: { host } })
    for (const [host, url] of Object.entries({
      'console.example.com': 'https://console.example.com',
      'console.example.com:8443': 'https://console.example.com:8443',
      'localhost:8080': 'http://localhost:8080',
      'localhost.example.com': 'https://localhost.example.com',
      '[::1]:8080': 'http://[::1]:8080',
    })) {
      assert.deepEqual(await at(host), ['no-cache', url, `Bearer resource_metadata="${url}${METADATA}"`])
    }
    // What is no host is not repeated.
    for (const host of ['a"b', 'a b', 'user@host', 'a/b', 'a,b']) {
      assert.equal((await inject(host, METADATA)).statusCode, 400)
      assert.equal((await inject(host, '/v1/me')).headers['www-authenticate'], 'Bearer')
    }
  })

  it('has the address of PUBLIC_URL, whatever the request says', async (t) => {
    const running = await startConsole({ environment: { PUBLIC_URL: 'https://console.example.com/agents/' } })
    t.after(() => running.close())
    const { body } = await running.request('GET', METADATA)
    assert.equal(body.resource, 'https://console.example.com/agents')
    const expected = `Bearer resource_metadata="https://console.example.com/agents${METADATA}"`
    const none = await running.request('GET', `/v1/agent-configurations/${randomUUID()}`)
    assert.equal(none.headers.get('www-authenticate'), expected)
    const { token } = await running.person({ scope: 'audit:read' })
    const denied = await running.request('GET', '/v1/agent-configurations', { token })
    assert.equal(
      denied.headers.get('www-authenticate'),
      `${expected}, error="insufficient_scope", scope="agent:read"`,
    )
  })
})
