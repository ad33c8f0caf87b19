import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { onFreePort } from '../../dev/free-port.ts'
import { listen, stopListening } from '../../dev/http-service.ts'
import { OutboundClient } from '../../src/platform/outbound/client.ts'
import { startBehind } from '../support/behind.ts'
import { closeAfter } from '../support/close-after.ts'
import { startConnectProxy } from '../support/connect-proxy.ts'
import { startDnsServer } from '../support/dns-server.ts'

describe('a fetch with TLS', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'console-outbound-'))
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
      ...[
        '-keyout',
        'key.pem',
        '-out',
        'cert.pem',
        '-subj',
        '/CN=cards.test',
        '-addext',
        'subjectAltName=DNS:cards.test',
      ],
    ],
    { cwd: folder, stdio: 'pipe' },
  )
  const names: unknown[] = []
  const server = createServer({ key: read('key.pem'), cert: read('cert.pem') }, ({ socket }, response) => {
    names.push((socket as { servername?: unknown }).servername)
    response.end('{}')
  })
  const port = await onFreePort((free) => listen(server, free, '127.0.0.1'))
  const dns = await startDnsServer()
  for (const name of ['cards.test', 'other.test']) dns.define(name, ['127.0.0.1'])
  const authorities = getCACertificates('default')
  closeAfter(async () => {
    setDefaultCACertificates(authorities)
    await Promise.all([dns.close(), stopListening(server)])
    rmSync(folder, { recursive: true })
  })
  const policy = { allowedPorts: [port], allowedCidrs: ['127.0.0.1/32'], dnsServers: [dns.address] }

  it('needs a certificate of the host from a known authority', async () => {
    const proxy = await startConnectProxy(port)
    after(() => proxy.close())
    for (const client of [
      new OutboundClient(policy),
      new OutboundClient({ ...policy, proxyUrl: proxy.url }),
    ]) {
      const get = (host: string) =>
        client.get(`https://${host}:${port}/`, { teamId: 'team', timeoutMs: 60_000 })
      setDefaultCACertificates(authorities)
      await assert.rejects(get('cards.test'), { reason: 'unreachable', detail: /^self-signed certificate/ })
      setDefaultCACertificates([...authorities, read('cert.pem')])
      assert.equal((await get('cards.test')).body.toString(), '{}')
      await assert.rejects(get('other.test'), { reason: 'unreachable', detail: /altnames/ })
    }
    assert.deepEqual(names, ['cards.test', 'cards.test'])
    assert.deepEqual(
      proxy.tunnels.map(([target]) => target),
      ['cards.test', 'cards.test', 'other.test'].map((host) => `${host}:${port}`),
    )
  })
})

describe('a fetch through a proxy', async () => {
  const server = await startBehind()
  const port = Number(new URL(server.url).port)
  const headerOf = (name: string) => {
    const { rawHeaders = [] } = server.asked[0] ?? {}
    const at = rawHeaders.findIndex((each) => each.toLowerCase() === name)
    return at === -1 ? undefined : rawHeaders[at + 1]
  }
  const proxy = await startConnectProxy(port)
  const dns = await startDnsServer()
  dns.define('corp.test', ['127.0.0.1'])
  closeAfter(() => Promise.all([server.stop(), proxy.close(), dns.close()]))
  const client = new OutboundClient({
    ...{ allowsHttp: true, proxyUrl: proxy.url, dnsServers: [dns.address] },
    ...{ allowedHosts: ['corp.test'], allowedCidrs: ['127.0.0.1/32'], allowedPorts: [port] },
  })
  const get = (url: string) => client.get(url, { teamId: 'team', timeoutMs: 60_000 })

  it('lets the proxy resolve the name and connect', async () => {
    assert.equal((await get('http://cards.test/card')).url, 'http://cards.test/card')
    const credentials = `Basic ${Buffer.from('user:s3cret').toString('base64')}`
    assert.deepEqual(proxy.tunnels, [['cards.test:80', credentials]])
    assert.deepEqual([server.asked[0]?.line, headerOf('host')], ['GET /card', 'cards.test'])
    assert.equal(headerOf('proxy-authorization'), undefined)
    assert.deepEqual(dns.asked, [])
  })

  it('connects to allowed hosts itself', async () => {
    const before = proxy.tunnels.length
    assert.equal((await get(`http://corp.test:${port}/`)).status, 200)
    assert.equal(proxy.tunnels.length, before)
    assert.ok(dns.asked.includes('corp.test'))
  })

  it('passes no blocked address to the proxy', async () => {
    const before = proxy.tunnels.length
    for (const host of ['127.0.0.2', '[::1]', '0x0a000001', '169.254.169.254']) {
      await assert.rejects(get(`http://${host}/`), { reason: 'unreachable' }, host)
    }
    server.behave((_request, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end())
    await assert.rejects(get('http://cards.test/'), { reason: 'unreachable' })
    assert.deepEqual(
      proxy.tunnels.slice(before).map(([target]) => target),
      ['cards.test:80'],
    )
  })

  it('tells a caller nothing when the proxy refuses', async () => {
    proxy.refuse()
    for (const url of ['http://cards.test/', 'https://cards.test/']) {
      await assert.rejects(get(url), {
        reason: 'unreachable',
        message: 'The URL could not be reached.',
        detail: /403/,
      })
    }
  })
})
