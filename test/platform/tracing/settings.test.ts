import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { readConfig } from '../../../src/config/config.ts'

describe('the settings of traces', () => {
  const read = (environment: Record<string, string>) =>
    readConfig({
      DATABASE_URL: 'postgres://127.0.0.1/unused',
      AUTH_ISSUER: 'https://issuer.example',
      AUTH_AUDIENCE: 'console',
      SECRETS_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      ...environment,
    }).tracing
  const TRACES_URL = 'http://127.0.0.1:4318/v1/traces'

  it('trace nothing without an address', () => {
    assert.equal(read({ TRACES_SAMPLE_RATIO: '1' }), undefined)
  })

  it('have one request in a hundred and no headers by default', () => {
    assert.deepEqual(read({ TRACES_URL }), { url: TRACES_URL, headers: {}, sampleRatio: 0.01 })
  })

  it('take headers, also with = in a value', () => {
    const headers = 'authorization=Bearer YWJj==, x-scope=console'
    assert.deepEqual(read({ TRACES_URL, TRACES_HEADERS: headers })?.headers, {
      authorization: 'Bearer YWJj==',
      'x-scope': 'console',
    })
  })

  it('are refused with the reason, without the text of a header', () => {
    for (const ratio of ['2', '-1', '1e-2', 'half']) {
      assert.throws(
        () => read({ TRACES_URL, TRACES_SAMPLE_RATIO: ratio }),
        /TRACES_SAMPLE_RATIO must be a number from 0 to 1/,
      )
    }
    for (const headers of ['planted', 'a=1,planted', 'a=1,=planted', 'a=plan\nted']) {
      assert.throws(
        () => read({ TRACES_URL, TRACES_HEADERS: headers }),
        ({ message }: Error) =>
          /TRACES_HEADERS must be name=value,name=value; pair \d is invalid/.test(message) &&
          !message.includes('plan'),
      )
    }
    assert.throws(() => read({ TRACES_URL: 'collector:4318' }), /TRACES_URL must be a URL/)
  })
})
