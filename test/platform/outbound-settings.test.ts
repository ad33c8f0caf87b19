import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { ConfigInvalid } from '../../src/platform/process.ts'

const REQUIRED = {
  DATABASE_URL: 'postgres://127.0.0.1/unused',
  AUTH_ISSUER: 'https://issuer.example',
  AUTH_AUDIENCE: 'console',
  SECRETS_KEYS: `k1:${randomBytes(32).toString('base64')}`,
}

describe('the settings of outbound requests', () => {
  it('allow nothing but public addresses, https and its port', () => {
    assert.deepEqual(readConfig(REQUIRED).outbound, {
      ...{ allowedCidrs: [], allowedHosts: [], allowedPorts: [], allowsHttp: false, proxyUrl: undefined },
    })
  })

  it('are lists, separated by commas or spaces', () => {
    const { outbound } = readConfig({
      ...REQUIRED,
      OUTBOUND_ALLOWED_CIDRS: '10.0.0.0/8, 127.0.0.1/32 fd00::/8,::1/128',
      OUTBOUND_ALLOWED_HOSTS: 'Corp.Example, svc.cluster.local,localhost\nbücher.example',
      OUTBOUND_ALLOWED_PORTS: '8443,8080',
      ALLOW_INSECURE: 'http_outbound',
      OUTBOUND_PROXY_URL: 'http://user:password@proxy.example:3128',
    })
    assert.deepEqual(outbound, {
      allowedCidrs: ['10.0.0.0/8', '127.0.0.1/32', 'fd00::/8', '::1/128'],
      allowedHosts: ['corp.example', 'svc.cluster.local', 'localhost', 'xn--bcher-kva.example'],
      allowedPorts: [8443, 8080],
      allowsHttp: true,
      proxyUrl: 'http://user:password@proxy.example:3128',
    })
  })

  const wrong: Record<string, string[]> = {
    OUTBOUND_ALLOWED_CIDRS: [
      ...[
        '10.0.0.1',
        '10.0.0.0/33',
        '10.0.0.0/',
        '/8',
        '10.0.0/8',
        '10.0.0.0/8x',
        'corp.example/8',
        '[::1]/128',
      ],
      // They would switch the guard off.
      ...['0.0.0.0/0', '10.0.0.0/7', '::/0', '::/7', '::/8', '::/64', '::ffff:0:0/96', '::ffff:0:0/90'],
    ],
    OUTBOUND_ALLOWED_HOSTS: [
      ...[
        '*.corp.example',
        '.corp.example',
        'corp.example.',
        'corp.example:8443',
        'https://corp.example',
        'a/b',
        'a@b',
      ],
      // The end of an address.
      ...['127.0.0.1', '1', '0.1', '0x7f000001', 'a.1', '[::1]', '::1', '%31'],
    ],
    OUTBOUND_ALLOWED_PORTS: ['0', '65536', '80-90', 'https', '-1', '1e3'],
    OUTBOUND_PROXY_URL: ['proxy.example:3128', 'socks5://proxy.example'],
  }
  for (const [name, values] of Object.entries(wrong)) {
    it(`${name} is refused if it is wrong`, () => {
      for (const value of values) {
        assert.throws(
          () => readConfig({ ...REQUIRED, [name]: value }),
          (error) => error instanceof ConfigInvalid && error.message.includes(`- ${name} must`),
          value,
        )
      }
    })
  }
})
