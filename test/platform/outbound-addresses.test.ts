import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { OutboundClient, OutboundError, type OutboundPolicy } from '../../src/platform/outbound/client.ts'
import {
  BLOCKED_IPV4,
  BLOCKED_IPV6,
  edgesOf,
  embeddingsOf,
  isBlocked,
  PUBLIC_ADDRESSES,
  spellingsOf,
} from '../support/addresses.ts'
import { startBehind } from '../support/behind.ts'
import { closeAfter } from '../support/close-after.ts'
import { recordAttempts } from '../support/connection-attempts.ts'
import { startDnsServer } from '../support/dns-server.ts'

const EDGES = [...BLOCKED_IPV4, ...BLOCKED_IPV6].flatMap(edgesOf)
const METADATA = ['169.254.169.254', '168.63.129.16', '100.100.100.200', 'fd00:ec2::254', 'fd20:ce::254']
const hostOf = (address: string) => (address.includes(':') ? `[${address}]` : address)

describe('a URL that a caller chooses', async () => {
  const dns = await startDnsServer()
  const attempts = await recordAttempts()
  closeAfter(async () => {
    attempts.stop()
    await dns.close()
  })
  beforeEach(() => void attempts.addresses.splice(0))

  /** Tries each host with and without TLS, and returns the addresses that were connected to. */
  const connectedTo = (hosts: readonly string[], policy: OutboundPolicy = {}) =>
    fetchAll(
      hosts.flatMap((host) => [`http://${host}/`, `https://${host}/`]),
      policy,
    )
  const fetchAll = async (urls: readonly string[], policy: OutboundPolicy = {}) => {
    const client = new OutboundClient({ allowsHttp: true, dnsServers: [dns.address], ...policy })
    const before = attempts.addresses.length
    for (const url of urls) {
      await assert.rejects(client.get(url, { teamId: 'team', timeoutMs: 60_000 }), (error) => {
        assert.ok(error instanceof OutboundError)
        assert.deepEqual([error.reason, error.message], ['unreachable', 'The URL could not be reached.'], url)
        return true
      })
    }
    return attempts.addresses.slice(before)
  }

  it('connects to no address that is not public, however it is written', async () => {
    const hosts = EDGES.flatMap((address) => [
      ...spellingsOf(address),
      ...(address.includes(':') ? [] : embeddingsOf(address)),
    ])
    const urls = hosts.map((host, index) => `${index % 2 === 0 ? 'http' : 'https'}://${host}/`)
    assert.deepEqual(await fetchAll(urls), [])
    assert.deepEqual(await connectedTo(EDGES.map(hostOf)), [])
    assert.deepEqual(
      await connectedTo(['localhost', 'localhost.', '127.1', '0', '0x0', ...METADATA.map(hostOf)]),
      [],
    )
  })

  it('connects to all other addresses', async () => {
    const connected = await connectedTo(PUBLIC_ADDRESSES.map(hostOf))
    assert.deepEqual([...new Set(connected)], PUBLIC_ADDRESSES)
    // The ranges of this test are right.
    assert.deepEqual(PUBLIC_ADDRESSES.filter(isBlocked), [])
  })

  it('connects to none of them through a name', async () => {
    const names = EDGES.map((address, index) => {
      dns.define(`edge-${index}.test`, [address])
      return `edge-${index}.test`
    })
    assert.deepEqual(await connectedTo(names), [])
    assert.ok(names.every((name) => dns.asked.includes(name)))
  })

  it('connects only to the public ones of a name that has both', async () => {
    dns.define('both.test', ['10.0.0.1', '192.0.1.7', '::1', 'fd00::1', '2606:4700::7'])
    const connected = await connectedTo(['both.test'])
    assert.deepEqual([...new Set(connected)].toSorted(), ['192.0.1.7', '2606:4700::7'])
  })

  it('connects to none when the name has another address each time', async () => {
    dns.define('rebinding.test', ['192.0.1.7'], ['127.0.0.1'], ['192.0.1.7', '::ffff:7f00:1'], ['::1'])
    const connected = await connectedTo(Array.from({ length: 10 }, () => 'rebinding.test'))
    assert.deepEqual([...new Set(connected)], ['192.0.1.7'])
  })

  it('leads to none of them by a redirect', async () => {
    const server = await startBehind()
    after(() => server.stop())
    const port = Number(new URL(server.url).port)
    dns.define('inside.test', ['10.0.0.1', '127.0.0.2', '::1'])
    const client = new OutboundClient({
      ...{
        allowsHttp: true,
        allowedPorts: [port],
        allowedCidrs: ['127.0.0.1/32'],
        dnsServers: [dns.address],
      },
    })
    const targets = [
      '127.0.0.2',
      '0x7f000002',
      '[::1]',
      '10.0.0.1',
      'inside.test',
      '169.254.169.254',
      '[64:ff9b::a00:1]',
    ]
    for (const target of targets.flatMap((host) => [
      `http://${host}:${port}/`,
      `//${host}/`,
      `https://${host}/`,
    ])) {
      server.behave((_request, response) => response.writeHead(302, { location: target }).end())
      await assert.rejects(
        client.get(server.url, { teamId: 'team', timeoutMs: 60_000 }),
        { reason: 'unreachable' },
        target,
      )
    }
    assert.deepEqual([...new Set(attempts.addresses)], ['127.0.0.1'])
    assert.equal(server.asked.length, targets.length * 3)
  })

  it('reaches the ranges that the operator allows, but never the credentials of the machine', async () => {
    const policy = {
      allowedCidrs: ['10.1.0.0/16', '100.64.0.0/10', '169.254.0.0/16', '168.63.0.0/16', 'fd00::/8'],
    }
    const allowed = ['10.1.255.255', '::ffff:a01:1', '100.64.0.1', '169.254.1.1', 'fd00::1']
    const others = ['10.0.255.255', '10.2.0.0', 'fc00::1', '127.0.0.1', '::1', ...METADATA]
    dns.define('allowed.test', ['10.0.0.1', '10.1.0.1'])
    const connected = await connectedTo([...allowed, ...others].map(hostOf), policy)
    assert.deepEqual([...new Set(connected)], allowed)
    assert.deepEqual([...new Set(await connectedTo(['allowed.test'], policy))], ['10.1.0.1'])
  })

  it('reaches private networks under the names that the operator allows, and nothing else', async () => {
    const policy = { allowedHosts: ['corp.test'] }
    const addresses = ['10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1', 'fd00::1', '192.0.1.7']
    const special = ['127.0.0.1', '::1', '0.0.0.0', 'fe80::1', '224.0.0.1', '64:ff9b::a00:1', ...METADATA]
    dns.define('corp.test', addresses)
    dns.define('agents.corp.test', [...special, ...addresses])
    dns.define('xcorp.test', addresses)
    dns.define('corp.test.evil.test', addresses)
    for (const name of ['corp.test', 'agents.corp.test', 'AGENTS.corp.test.']) {
      assert.deepEqual([...new Set(await connectedTo([name], policy))].toSorted(), addresses.toSorted(), name)
    }
    const others = ['xcorp.test', 'corp.test.evil.test', ...addresses.map(hostOf)]
    assert.deepEqual([...new Set(await connectedTo(others, policy))], ['192.0.1.7'])
  })
})
