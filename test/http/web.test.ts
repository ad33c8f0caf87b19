import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { PERMISSIONS } from '../../src/api/caller.ts'
import { readConfig } from '../../src/config/config.ts'
import { useConsole } from '../support/console.ts'
import { startIssuer } from '../support/issuer/issuer.ts'
import { exchange } from './raw-http.ts'

const PAGE =
  '<!doctype html><title>Agent Console</title><script type="module" src="/console/assets/main-AbCd1234.js">'
const SCRIPT = `console.log(${JSON.stringify('x'.repeat(4_000))})\n`
const SECRET = 'not for browsers'

/** As the build of `web` leaves it, with something beside it that nobody may read. */
function makeFolder(): string {
  const parent = mkdtempSync(join(tmpdir(), 'console-web-'))
  after(() => rmSync(parent, { recursive: true }))
  const folder = join(parent, 'dist')
  mkdirSync(join(folder, 'assets/fonts'), { recursive: true })
  const write = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content)
  write('index.html', PAGE)
  write('icon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>')
  write('assets/main-AbCd1234.js', SCRIPT)
  write('assets/main-AbCd1234.js.gz', gzipSync(SCRIPT))
  write('assets/main-AbCd1234.js.br', brotliCompressSync(SCRIPT))
  write('assets/style-EfGh5678.css', 'body{}')
  write('assets/fonts/inter-IjKl9012.woff2', 'font')
  write('.hidden.json', SECRET)
  writeFileSync(join(parent, 'secret.txt'), SECRET)
  return folder
}

const WEB = { WEB_CLIENT_ID: 'console-web', WEB_FOLDER: makeFolder() }
const ASSET = '/console/assets/main-AbCd1234.js'

const policyFor = (...issuers: string[]) =>
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
  `connect-src 'self' ${issuers.join(' ')}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; ` +
  "require-trusted-types-for 'script'; trusted-types 'none'"

describe('the browser console', async () => {
  const running = await useConsole({ environment: WEB })
  const get = (path: string, headers: Record<string, string> = {}) =>
    running.request('GET', path, { headers })

  for (const path of [
    '/console',
    '/console/',
    '/console/agents?statuses=draft',
    '/console/agents/0195f9c2-0000-7000-8000-000000000000/history',
    '/console/auth/callback?code=x&state=y',
    '/console/views/v1.2',
    '/console/index.html',
  ]) {
    it(`sends the page for ${path}, with the strict policy`, async () => {
      const page = await get(path)
      assert.equal(page.status, 200)
      assert.equal(page.text, PAGE)
      assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
      assert.equal(page.headers.get('cache-control'), 'no-cache')
      assert.equal(page.headers.get('content-security-policy'), policyFor(running.issuer.url))
      assert.equal(page.headers.get('x-content-type-options'), 'nosniff')
      assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
      assert.equal(page.headers.get('cross-origin-opener-policy'), 'same-origin')
      const known = await get(path, { 'if-none-match': page.headers.get('etag') ?? '' })
      assert.equal(known.status, 304)
      assert.equal(known.headers.get('content-security-policy'), policyFor(running.issuer.url))
    })
  }

  it('sends assets for ever, in the coding that the build has made, or as they are', async () => {
    for (const [accepted, coding] of [
      ['gzip, br', 'br'],
      ['gzip', 'gzip'],
      ['identity', null],
    ] as const) {
      const asset = await get(ASSET, { 'accept-encoding': accepted })
      assert.equal(asset.status, 200)
      assert.equal(asset.text, SCRIPT)
      assert.equal(asset.headers.get('content-encoding'), coding)
      assert.equal(asset.headers.get('cache-control'), 'public, max-age=31536000, immutable')
      assert.match(asset.headers.get('content-type') ?? '', /^(?:text|application)\/javascript/)
      assert.match(asset.headers.get('vary') ?? '', /accept-encoding/i)
      assert.equal(asset.headers.get('x-content-type-options'), 'nosniff')
    }
    const style = await get('/console/assets/style-EfGh5678.css', { 'accept-encoding': 'br' })
    assert.deepEqual([style.status, style.text], [200, 'body{}'])
    assert.equal(style.headers.get('content-encoding'), null)
    assert.equal((await get('/console/assets/fonts/inter-IjKl9012.woff2')).status, 200)
  })

  it('sends other files of the build with revalidation', async () => {
    const icon = await get('/console/icon.svg')
    assert.equal(icon.status, 200)
    assert.equal(icon.headers.get('content-type'), 'image/svg+xml')
    assert.equal(icon.headers.get('cache-control'), 'public, max-age=0')
  })

  it('answers an unknown asset with 404, which no cache keeps', async () => {
    for (const name of ['main-old.js', 'main-AbCd1234.js.br', '', 'fonts']) {
      const unknown = await get(`/console/assets/${name}`)
      assert.equal(unknown.status, 404, name)
      assert.equal(unknown.headers.get('cache-control'), 'no-store')
    }
  })

  it('sends nothing from outside the build, and no hidden file', async () => {
    const attempts = [
      '/console/../secret.txt',
      '/console/..%2fsecret.txt',
      '/console/%2e%2e/secret.txt',
      '/console/%2e%2e%2fsecret.txt',
      '/console/assets/../../secret.txt',
      '/console/assets/..%2f..%2fsecret.txt',
      '/console/assets/%252e%252e%252f%252e%252e%252fsecret.txt',
      '/console/..%5csecret.txt',
      `/console/${encodeURIComponent(join(WEB.WEB_FOLDER, '../secret.txt'))}`,
      '/console//secret.txt',
      '/console/.hidden.json',
      '/console/assets/..%2f.hidden.json',
      '/console/icon.svg%00.html',
    ]
    for (const path of attempts) {
      // By hand: fetch resolves dots before it sends a path.
      const response = String(
        await exchange(running.url, `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`),
      )
      assert.match(response, /^HTTP\/1\.1 (?:200|400|403|404) /, path)
      assert.ok(!response.includes(SECRET), path)
    }
  })

  it('answers HEAD as GET, without a body', async () => {
    for (const path of ['/console/agents', ASSET, '/console/config.json']) {
      const [head, full] = [await running.request('HEAD', path), await get(path)]
      assert.equal(head.status, 200, path)
      assert.equal(head.text, '')
      for (const name of ['content-type', 'cache-control', 'content-security-policy'])
        assert.equal(head.headers.get(name), full.headers.get(name), `${path} ${name}`)
    }
  })

  it('refuses other methods', async () => {
    for (const path of ['/', '/console', '/console/', '/console/agents', ASSET, '/console/config.json']) {
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const refused = await running.request(method, path)
        assert.equal(refused.status, 405, `${method} ${path}`)
        assert.equal(refused.headers.get('allow'), 'GET, HEAD')
      }
    }
  })

  it('says in /console/config.json where and as what the page signs in', async () => {
    const config = await get('/console/config.json')
    assert.equal(config.status, 200)
    assert.equal(config.headers.get('cache-control'), 'no-store')
    assert.deepEqual(config.body, {
      issuer: running.issuer.url,
      client_id: 'console-web',
      scope: `openid profile email ${PERMISSIONS.join(' ')}`,
    })
  })

  it('is where / leads', async () => {
    const root = await get('/')
    assert.equal(root.status, 302)
    assert.equal(root.headers.get('location'), '/console/')
  })

  it('is not part of the API', async () => {
    const { body } = await get('/openapi.json')
    const paths = Object.keys((body as { paths: object }).paths)
    assert.ok(paths.includes('/v1/me'))
    assert.deepEqual(
      paths.filter((path) => path === '/' || path.startsWith('/console')),
      [],
    )
  })
})

describe('a browser console with its own scope and resource', async () => {
  const tokenEndpoint = 'https://tokens.example.com/oauth2/token'
  const issuer = await startIssuer({ grants: false, tokenEndpoint })
  const running = await useConsole({
    issuer,
    environment: { ...WEB, WEB_SCOPE: 'openid api', WEB_RESOURCE: 'https://console.example.com' },
  })

  it('tells both to the page', async () => {
    const { body } = await running.request('GET', '/console/config.json')
    assert.equal(body.scope, 'openid api')
    assert.equal(body.resource, 'https://console.example.com')
  })

  it('lets the page connect to a token endpoint on another host', async () => {
    const { headers } = await running.request('GET', '/console/')
    const policy = policyFor(issuer.url, 'https://tokens.example.com')
    assert.equal(headers.get('content-security-policy'), policy)
  })
})

describe('a browser console whose issuer does not respond', async () => {
  const running = await useConsole({ environment: WEB })

  it('is served', async () => {
    await running.issuer.stop()
    const page = await running.request('GET', '/console/')
    assert.equal(page.status, 200)
    assert.equal(page.headers.get('content-security-policy'), policyFor(running.issuer.url))
  })
})

describe('a console without WEB_CLIENT_ID', async () => {
  const running = await useConsole({ environment: { WEB_FOLDER: WEB.WEB_FOLDER } })

  it('serves no browser console', async () => {
    for (const path of ['/console', '/console/', '/console/config.json', ASSET])
      assert.equal((await running.request('GET', path)).status, 404, path)
    assert.match((await running.request('GET', '/')).text, /<h1>Agent Console/)
  })
})

describe('a browser console that is not built', () => {
  it('keeps the process from starting, with the command that builds it', () => {
    const empty = mkdtempSync(join(tmpdir(), 'console-web-'))
    after(() => rmSync(empty, { recursive: true }))
    const others = {
      DATABASE_URL: 'postgres://127.0.0.1/console',
      AUTH_ISSUER: 'https://issuer.example',
      AUTH_AUDIENCE: 'console',
      SECRETS_KEYS: `test:${randomBytes(32).toString('base64')}`,
    }
    assert.throws(() => readConfig({ ...others, ...WEB, WEB_FOLDER: empty }), {
      message:
        'The configuration has 1 error:\n' +
        `  - WEB_CLIENT_ID is set, but ${empty} has no index.html; run npm run build:web`,
    })
  })
})
