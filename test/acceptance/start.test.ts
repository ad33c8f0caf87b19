import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { type RunningConsole, startConsoleProcess, startProcess } from '../support/processes.ts'

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
