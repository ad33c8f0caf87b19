import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { type RunningConsole, startConsoleProcess, startProcess } from './processes.ts'

describe('npm start', () => {
  it('lists every error of the configuration at once and ends', async () => {
    const process = startProcess('src/main.ts', {
      PORT: 'eighty',
      AUTH_ISSUER: 'not a url',
      AUTH_AUDIENCE: 'console',
      SECRETS_KEYS: `a:${randomBytes(32).toString('base64')}`,
    })
    assert.equal(await process.ended, 1)
    assert.equal(
      process.output(),
      'The configuration has 3 errors:\n' +
        '  - PORT must be a whole number from 0 to 65535\n' +
        '  - DATABASE_URL is missing\n' +
        '  - AUTH_ISSUER must be a URL that starts with https:// or http://\n' +
        'Variables: docs/operating.md\n',
    )
  })

  it('does not start without a keyring, and never prints one', async () => {
    const key = Buffer.from('0123456789abcdef').toString('base64')
    const strong = randomBytes(32).toString('base64')
    for (const [keys, expected] of [
      [undefined, /SECRETS_KEYS is missing/],
      [`a:${key}`, /SECRETS_KEYS must be id:base64.* entry 1 is invalid/],
      [`a:${randomBytes(32).toString('base64')},${key}`, /entry 2 is invalid/],
      [`a:${Buffer.alloc(32).toString('base64')}`, /all bytes of entry 1 are equal/],
      [`a:${strong},b:${Buffer.alloc(32, 7).toString('base64')}`, /all bytes of entry 2 are equal/],
      [`a:${strong},b:${strong}`, /has two keys with the same bytes/],
    ] as const) {
      const process = startProcess('src/main.ts', keys === undefined ? {} : { SECRETS_KEYS: keys })
      assert.equal(await process.ended, 1)
      assert.match(process.output(), expected)
      assert.ok(!process.output().includes(key) && !process.output().includes(strong))
    }
  })

  it('takes an empty variable for an absent one, and refuses a URL of which a part would be dropped', async () => {
    const process = startProcess('src/main.ts', {
      AUTH_JWKS_URL: '',
      EVOLUTION_URL: '',
      DATABASE_URL: 'postgres://127.0.0.1/x',
      AUTH_ISSUER: 'https://issuer.example',
      AUTH_AUDIENCE: ' ',
    })
    assert.equal(await process.ended, 1)
    assert.deepEqual(process.output().match(/\w+ is missing/g), [
      'AUTH_AUDIENCE is missing',
      'SECRETS_KEYS is missing',
    ])
    for (const url of ['http://user:pw@h/', 'http://h/?x=1', 'http://h/#x', 'ftp://h/']) {
      const refused = startProcess('src/main.ts', { EVOLUTION_URL: url })
      assert.equal(await refused.ended, 1)
      assert.match(refused.output(), /EVOLUTION_URL must/)
      assert.ok(!refused.output().includes('pw'))
    }
  })

  it('says so when its port is taken', async () => {
    const running = await startConsoleProcess()
    try {
      const second = startProcess('src/main.ts', running.environment)
      assert.equal(await second.ended, 1)
      assert.match(second.output(), /EADDRINUSE/)
    } finally {
      await running.close()
    }
  })
})

describe('a running console', () => {
  let running: RunningConsole

  before(async () => {
    running = await startConsoleProcess()
  })
  after(() => running.close())

  it('creates, reads and updates an agent', async () => {
    const headers = { authorization: `Bearer ${await running.token()}`, 'content-type': 'application/json' }
    const collection = `${running.url}/v1/agent-configurations`
    const created = await fetch(collection, {
      method: 'POST',
      headers,
      body: JSON.stringify({ agent_name: 'A', model_name: 'm' }),
    })
    assert.equal(created.status, 201)
    const { id } = (await created.json()) as { id: string }
    const updated = await fetch(`${collection}/${id}`, {
      method: 'PUT',
      headers,
      body: JSON.stringify({ purpose: 'x' }),
    })
    assert.equal(updated.status, 200)
    assert.equal(updated.headers.get('etag'), '"2"')
    const read = await fetch(`${collection}/${id}`, { headers })
    assert.deepEqual(await read.json(), await updated.json())
  })

  it('shows its metrics on a port of their own, by route and not by address', async () => {
    await fetch(`${running.url}/health/live`)
    const text = await (await fetch(running.metricsUrl)).text()
    assert.match(
      text,
      /console_http_request_duration_seconds_count\{method="GET",route="\/health\/live",status="200"\} \d+/,
    )
    assert.match(text, /nodejs_eventloop_lag_seconds/)
    assert.equal((await fetch(`${running.url}/metrics`)).status, 404)
  })

  it('is ready, and names the state of what it depends on', async () => {
    const ready = await fetch(`${running.url}/health/ready`)
    assert.equal(ready.status, 200)
    assert.deepEqual(await ready.json(), {
      status: 'ready',
      dependencies: { database: 'up', issuer: 'up' },
      delivery: { state: 'off' },
      request_budgets: { counted_by: 'replica' },
    })
  })

  it('publishes the document and a page to read it', async () => {
    const response = await fetch(`${running.url}/openapi.json`)
    const document = (await response.json()) as {
      openapi: string
      security: unknown[]
      info: { version: string }
    }
    assert.equal(document.openapi, '3.1.0')
    assert.match(document.info.version, /^\d+\.\d+\.\d+/)
    assert.deepEqual(document.security, [])
    const etag = response.headers.get('etag') ?? ''
    const again = await fetch(`${running.url}/openapi.json`, { headers: { 'if-none-match': etag } })
    assert.equal(again.status, 304)
    for (const path of ['/docs', '/docs/']) {
      const page = await fetch(`${running.url}${path}`, { redirect: 'error' })
      assert.equal(page.status, 200)
      const text = await page.text()
      assert.match(text, /openapi\.json/)
      const script = /<script src="([^"]+)"/.exec(text)?.[1] ?? ''
      assert.equal((await fetch(new URL(script, `${running.url}${path}`))).status, 200)
      assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
    }
  })
})
