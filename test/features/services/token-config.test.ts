import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConfig } from '../../../src/config/config.ts'
import { signingEnvironment } from '../../support/signing.ts'

const ENVIRONMENT = {
  DATABASE_URL: 'postgres://127.0.0.1/unused',
  AUTH_ISSUER: 'https://id.example',
  AUTH_AUDIENCE: 'console',
  SECRETS_KEYS: `unused:${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`,
}
const errorsOf = (environment: Record<string, string>) => {
  try {
    readConfig({ ...ENVIRONMENT, ...environment })
    return []
  } catch (error) {
    return (error as Error).message.split('\n  - ').slice(1)
  }
}

describe('the console does not start', () => {
  it('with its issuer as its own name: it would accept its own assertions', () => {
    for (const PUBLIC_URL of ['https://id.example', 'https://id.example/', 'HTTPS://ID.example:443//']) {
      assert.deepEqual(errorsOf({ ...signingEnvironment(), PUBLIC_URL }), [
        'PUBLIC_URL must not be AUTH_ISSUER',
      ])
    }
    assert.deepEqual(errorsOf({ ...signingEnvironment(), PUBLIC_URL: 'https://id.example/console' }), [])
  })

  it('with an evolution service at http:// on another machine, unless told to', () => {
    const EVOLUTION_URL = 'http://evolution.internal:8080'
    const [error = '', ...more] = errorsOf({ EVOLUTION_URL })
    assert.match(error, /^EVOLUTION_URL is http:\/\/ to another machine: .* \(http_evolution\)$/)
    assert.deepEqual(more, ['To accept this risk: ALLOW_INSECURE=http_evolution'])
    assert.deepEqual(errorsOf({ EVOLUTION_URL, ALLOW_INSECURE: 'http_evolution' }), [])
    assert.deepEqual(errorsOf({ EVOLUTION_URL: 'http://127.0.0.1:8080' }), [])
  })
})
