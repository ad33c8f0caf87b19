import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { readConfig, readRelayConfig } from '../../src/config/config.ts'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const SECURE = {
  DATABASE_URL: 'postgres://console@db.example/console?sslmode=verify-full',
  AUTH_ISSUER: 'https://issuer.example',
  AUTH_AUDIENCE: 'console',
  SECRETS_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  NATS_URL: 'tls://nats.example',
}
const LOCAL = {
  DATABASE_URL: 'postgres://127.0.0.1/console',
  AUTH_ISSUER: 'http://localhost:8081',
  NATS_URL: 'nats://127.0.0.1:4222,nats://localhost:4223',
  PUBLIC_URL: 'http://[::1]:8080',
}
/** What is refused, by the word that allows it. */
const INSECURE: [word: string, environment: Record<string, string>][] = [
  ['http_issuer', { AUTH_ISSUER: 'http://issuer.example' }],
  ['http_issuer', { AUTH_JWKS_URL: 'http://10.0.0.7/jwks' }],
  ['http_issuer', { AUTH_REVOCATIONS_URL: 'http://10.0.0.7/list' }],
  ['http_public_url', { PUBLIC_URL: 'http://console.example' }],
  ['plain_database', { DATABASE_URL: 'postgres://db.example/console' }],
  ['plain_database', { DATABASE_URL: 'postgres://db.example/console?sslmode=no-verify' }],
  ['plain_database', { DATABASE_URL: 'postgres://127.0.0.1/console?host=db.example' }],
  ['plain_database', { RELAY_DATABASE_URL: 'postgres://10.0.0.7/console?sslmode=disable' }],
  ['plain_nats', { NATS_URL: 'nats://nats.example' }],
  ['plain_nats', { NATS_URL: 'tls://nats.example,nats://other.example' }],
  ['plain_redis', { REDIS_URL: 'redis://redis.example' }],
  ['published_key', { SECRETS_KEYS: /(public:[\w+/=]+)/.exec(read('compose.yaml'))?.[1] ?? '' }],
]

describe('insecure settings', () => {
  it('are none if everything is encrypted, or on this machine', () => {
    readConfig(SECURE)
    readConfig({ ...SECURE, ...LOCAL })
    readConfig({ ...SECURE, DATABASE_URL: 'postgres:///console?host=/var/run/postgresql' })
    readConfig({ ...SECURE, DATABASE_URL: 'postgres://%2Fvar%2Frun%2Fpostgresql/console' })
    const ca = '-----BEGIN CERTIFICATE-----'
    readConfig({ ...SECURE, NATS_URL: 'nats://nats.example', NATS_TLS_CA: ca })
  })

  for (const [word, environment] of INSECURE) {
    it(`are refused unless their name is allowed: ${word} for ${Object.keys(environment).join()}`, () => {
      const all = { ...SECURE, ...environment }
      assert.throws(
        () => readConfig(all),
        new RegExp(`\\(${word}\\)\\n {2}- To accept this risk: ALLOW_INSECURE=${word}$`),
      )
      readConfig({ ...all, ALLOW_INSECURE: word })
    })
  }

  it('are all named in one error, with those that are missing and those that are allowed already', () => {
    const environment = { ...SECURE, AUTH_ISSUER: 'http://a.example', NATS_URL: 'nats://b.example' }
    assert.throws(
      () => readConfig({ ...environment, ALLOW_INSECURE: 'plain_nats, published_key' }),
      (error: Error) =>
        error.message.includes('(http_issuer)') &&
        !error.message.includes('(plain_nats)') &&
        error.message.endsWith('ALLOW_INSECURE=plain_nats,published_key,http_issuer'),
    )
  })

  it('are allowed by known words only', () => {
    assert.throws(
      () => readConfig({ ...SECURE, ALLOW_INSECURE: 'everything' }),
      /ALLOW_INSECURE must be one of http_issuer, http_public_url, http_evolution, http_outbound, plain_database, plain_nats, plain_redis, published_key/,
    )
  })

  it('are refused by the relay as well', () => {
    const environment = { ...SECURE, NATS_URL: 'nats://nats.example' }
    assert.throws(() => readRelayConfig(environment), /ALLOW_INSECURE=plain_nats$/)
    readRelayConfig({ ...environment, ALLOW_INSECURE: 'plain_nats' })
  })

  it('of compose.yaml are all allowed there', () => {
    const { services } = parse(read('compose.yaml'), { merge: true }) as {
      services: Record<string, { environment: Record<string, string> }>
    }
    const filled = (environment: Record<string, string> = {}) =>
      Object.fromEntries(
        Object.entries(environment).map(([name, text]) => [name, text.replace(/\$\{\w+:-(.*)\}/, '$1')]),
      )
    readConfig(filled(services['console']?.environment))
    readRelayConfig(filled(services['relay']?.environment))
  })
})

describe('the metrics server', () => {
  it('listens on this machine only, unless told otherwise', () => {
    assert.equal(readConfig({ ...SECURE, HOST: '0.0.0.0' }).metricsHost, '127.0.0.1')
    assert.equal(readConfig({ ...SECURE, METRICS_HOST: '0.0.0.0' }).metricsHost, '0.0.0.0')
    assert.equal(readRelayConfig({ ...SECURE, METRICS_HOST: '10.0.0.1' }).metricsHost, '10.0.0.1')
  })
})
