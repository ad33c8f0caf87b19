import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { readRelayConfig } from '../../src/config/config.ts'
import { errorsOf } from '../support/configuration.ts'

const newKey = () => randomBytes(32).toString('base64')

describe('the configuration', () => {
  it('is refused without a good keyring, and its errors contain no key', () => {
    const short = Buffer.from('0123456789abcdef').toString('base64')
    const strong = newKey()
    for (const [keys, expected] of [
      [undefined, /SECRETS_KEYS is missing/],
      [`a:${short}`, /SECRETS_KEYS must be id:base64.* entry 1 is invalid/],
      [`a:${newKey()},${short}`, /entry 2 is invalid/],
      [`a:${Buffer.alloc(32).toString('base64')}`, /all bytes of entry 1 are equal/],
      [`a:${strong},b:${Buffer.alloc(32, 7).toString('base64')}`, /all bytes of entry 2 are equal/],
      [`a:${strong},b:${strong}`, /has two keys with the same bytes/],
    ] as const) {
      const message = errorsOf(keys === undefined ? {} : { SECRETS_KEYS: keys })
      assert.match(message, expected)
      assert.ok(!message.includes(short) && !message.includes(strong))
    }
  })

  it('takes an empty variable for an absent one', () => {
    const message = errorsOf({
      AUTH_JWKS_URL: '',
      EVOLUTION_URL: '',
      DATABASE_URL: 'postgres://127.0.0.1/x',
      AUTH_ISSUER: 'https://issuer.example',
      AUTH_AUDIENCE: ' ',
    })
    assert.deepEqual(message.match(/\w+ is missing/g), [
      'AUTH_AUDIENCE is missing',
      'SECRETS_KEYS is missing',
    ])
  })

  it('gives a relay its own database, also with RELAY=off, which is for the API', () => {
    const environment = {
      NATS_URL: 'nats://127.0.0.1',
      DATABASE_URL: 'postgres://127.0.0.1/pooled',
      RELAY_DATABASE_URL: 'postgres://127.0.0.1/direct',
      RELAY: 'off',
    }
    assert.equal(readRelayConfig(environment).events.relayDatabaseUrl, environment.RELAY_DATABASE_URL)
  })

  it('is refused with a URL of which a part would be dropped', () => {
    for (const url of ['http://user:pw@h/', 'http://h/?x=1', 'http://h/#x', 'ftp://h/']) {
      const message = errorsOf({ EVOLUTION_URL: url })
      assert.match(message, /EVOLUTION_URL must/)
      assert.ok(!message.includes('pw'))
    }
  })
})
