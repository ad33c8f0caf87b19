import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { createAgent, getAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'
import { exchange } from './raw-http.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

describe('the pages of the console', async () => {
  const running = await useConsole()
  const get = (path: string, headers: Record<string, string> = {}) =>
    running.request('GET', path, { headers })

  it('names the product and its version at /, and links only to what exists', async () => {
    const page = await get('/')
    assert.equal(page.status, 200)
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.match(page.text, /<h1>Agent Console/)
    assert.ok(page.text.includes(version))
    const paths = [...page.text.matchAll(/href="(\/[^"]*)"/g)].map(([, path = '']) => path)
    assert.deepEqual(paths, ['/docs', '/openapi.json', '/asyncapi.json', '/health/ready'])
    for (const path of paths) assert.equal((await get(path)).status, 200, path)
  })

  for (const path of ['/', '/docs', '/docs/']) {
    it(`serves ${path} without inline scripts, and from a cache after revalidation`, async () => {
      const page = await get(path)
      assert.doesNotMatch(page.text, /<script(?![^>]* src=)|\son\w+=|javascript:/i)
      const policy = page.headers.get('content-security-policy') ?? ''
      assert.match(policy, /default-src 'none'/)
      assert.match(policy, /frame-ancestors 'none'/)
      assert.doesNotMatch(policy, /script-src[^;]*unsafe/)
      assert.equal(page.headers.get('cache-control'), 'no-cache')
      const known = await get(path, { 'if-none-match': page.headers.get('etag') ?? '' })
      assert.equal(known.status, 304)
    })
  }

  it('serves the script of the reference under the hash of its content, compressed and for ever', async () => {
    const { text } = await get('/docs')
    const path = /<script src="([^"]+)"/.exec(text)?.[1] ?? ''
    assert.match(path, /^\/docs\/scalar-[\w-]{16}\.js$/)
    const script = await get(path, { 'accept-encoding': 'br' })
    assert.equal(script.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(script.headers.get('content-encoding'), 'br')
    assert.ok(Number(script.headers.get('content-length')) < 1_200_000)
    assert.ok(script.text.length > 4_000_000)
    const other = await get('/docs/scalar-of-another-version.js')
    assert.equal(other.headers.get('cache-control'), 'no-store')
  })

  it('sends the security headers with every response', async () => {
    const person = await running.person()
    const agent = await createAgent(running, person)
    const responses = await Promise.all([
      get('/'),
      get('/docs'),
      get('/openapi.json'),
      get('/health/live'),
      get('/nothing'),
      get('/%zz'),
      get('/v1/agent-configurations'),
      getAgent(running, person, agent.id),
      running.request('GET', `/v1/evolution/status/${agent.id}`, { token: person.token }),
      running.request('PATCH', '/health/live'),
    ])
    for (const { headers, status } of responses) {
      assert.equal(headers.get('x-content-type-options'), 'nosniff', String(status))
      assert.equal(headers.get('referrer-policy'), 'no-referrer', String(status))
    }
    const malformed = String(await exchange(running.url, 'no HTTP\r\n\r\n'))
    assert.match(malformed, /^HTTP\/1\.1 400/)
    assert.match(malformed, /x-content-type-options: nosniff\r\nreferrer-policy: no-referrer\r\n/)
  })
})
