import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from '../../src/agent/secrets/inspect.ts'
import { hasUserInfo } from '../../src/platform/crypto/credentials.ts'

// In two parts, so that no scanner of repositories takes them for real ones.
const join = (...parts: string[]) => parts.join('')
const CREDENTIALS: Record<string, string> = {
  'an API key': join('sk-', 'proj-4f9a8c7d6e5b4a39'),
  'a payment key': join('sk_', 'live_4f9a8c7d6e5b4a39'),
  'a GitHub token': join('gh', 'p_0123456789abcdefghijABCDEFGHIJ012345'),
  'a fine-grained GitHub token': join('github_', 'pat_11ABCDEFG0abcdefghijklmn'),
  'a GitLab token': join('gl', 'pat-0123456789abcdefghij'),
  'an AWS access key': join('AK', 'IAIOSFODNN7EXAMPLE'),
  'a Slack token': join('xo', 'xb-123456789012-abcdef'),
  'a Google API key': join('AI', 'zaSyA0123456789abcdefghijklmnopqrstuvwx'),
  'a JSON Web Token': join('eyJ', 'hbGciOiJSUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.c2lnbmF0dXJl'),
  'a private key': join('-----BEGIN ', 'RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA'),
  'a URL with a password': join('postgres://app:', 'hunter2@db.example/app'),
}

const warningsOf = (values: Record<string, unknown>) => inspect(values).warnings

describe('the search for credentials', () => {
  for (const [name, text] of Object.entries(CREDENTIALS)) {
    it(`finds ${name}, alone, in prose and in nested values`, () => {
      assert.deepEqual(warningsOf({ purpose: text }), ['/purpose'])
      assert.deepEqual(warningsOf({ agent_system_prompt: `Use "${text}", please.\n` }), [
        '/agent_system_prompt',
      ])
      assert.deepEqual(warningsOf({ agent_params: { a: [0, { b: `x=${text}` }] } }), ['/agent_params/a/1/b'])
    })
  }

  it('takes no ordinary text for one', () => {
    for (const text of [
      'A risk-averse task-oriented assistant for sk-learn-based-pipelines-and-notebooks',
      'Contact: someone@example.com, see https://example.com/a:b@c',
      'The header begins with eyJ and a word',
      'asiana xoxo AKIA hugs hf_ npm_ ghp_',
      'https://agents.example/v1/token?x=1',
      '-----BEGIN CERTIFICATE-----',
      'x'.repeat(10_000),
      '3fa85f64-5717-4562-b3fc-2c963f66afa6',
    ]) {
      assert.deepEqual(warningsOf({ purpose: text, agent_params: { text, list: [text] } }), [], text)
    }
  })

  it('finds literal values of headers that authenticate, however they are written', () => {
    for (const mcp_config of [
      { headers: { Authorization: 'Bearer x' } },
      { headers: { 'X-API-Key': 'abc' } },
      { servers: [{ cookie: 'session=1' }] },
      { headers: [{ name: 'x-auth-token', value: 'abc' }] },
    ]) {
      assert.equal(warningsOf({ mcp_config }).length, 1, JSON.stringify(mcp_config))
    }
    for (const mcp_config of [
      { headers: { Authorization: { $secret: 'crm' } } },
      { headers: { Authorization: 'Bearer ${TOKEN}' } },
      { headers: { Authorization: '' } },
      { headers: { Accept: 'application/json' } },
      { headers: [{ name: 'accept', value: 'abc' }] },
    ]) {
      assert.deepEqual(warningsOf({ mcp_config }), [], JSON.stringify(mcp_config))
    }
    assert.equal(warningsOf({ delegated_agents: [{ headers: { authorization: 'x' } }] }).length, 1)
  })

  it('finds random text in members whose names promise a secret', () => {
    const random = 'q7Vd2kPz9sLw4xTb'
    for (const name of [
      'password',
      'dbPassword',
      'client_secret',
      'accessToken',
      'api_keys',
      'PRIVATE_KEY',
    ]) {
      assert.deepEqual(warningsOf({ agent_params: { [name]: random } }), [`/agent_params/${name}`])
      for (const harmless of [
        'required',
        'aaaaaaaaaaaaaaaa',
        '********4a39',
        '${SECRET_OF_THE_AGENT}',
        42,
        null,
      ]) {
        assert.deepEqual(warningsOf({ agent_params: { [name]: harmless } }), [])
      }
    }
    for (const name of ['max_tokens', 'tokenizer', 'public_key', 'secret_name', 'note']) {
      if (name !== 'max_tokens') assert.deepEqual(warningsOf({ agent_params: { [name]: random } }), [], name)
    }
  })

  it('names places, and never what a client wrote there', () => {
    const key = CREDENTIALS['an API key'] as string
    assert.deepEqual(warningsOf({ agent_params: { [key]: 1 } }), ['/agent_params/*'])
    assert.deepEqual(warningsOf({ agent_params: { [key]: { a: key } } }), [
      '/agent_params/*',
      '/agent_params/*/a',
    ])
    const odd = { 'a/b~c\r\nx: y, é\ud800': key, ['n'.repeat(65)]: key }
    assert.deepEqual(warningsOf({ agent_params: odd }), [
      '/agent_params/a~1b~0c%0D%0Ax%3A%20y%2C%20%C3%A9%EF%BF%BD',
      '/agent_params/*',
    ])
    let deep: unknown = key
    for (let level = 0; level < 60; level++) deep = { ['名'.repeat(60)]: deep }
    const [pointer = ''] = warningsOf({ agent_params: deep })
    assert.ok(pointer.endsWith('/...') && pointer.length < 1_000)
    const many = Array.from({ length: 5_000 }, () => key)
    assert.equal(warningsOf({ evaluated_harnesses: many }).length, 50)
  })
})

describe('a URL with a user name or a password', () => {
  it('is recognised as programs read it', () => {
    for (const url of [
      'https://user:pw@host/',
      'https://token@host',
      'HTTPS://:pw@host:8443/path',
      'https:user:pw@host',
      'https:/user:pw@host',
      String.raw`https:\\user:pw@host`,
      String.raw`https://good.example\@evil.example`,
      ' https://user:pw@host',
      'ht\ntps://us\ter:pw@host',
      'https://good.example\t@evil.example',
      '//user:pw@host/',
      'user:pw@host',
      'user@host/path',
      'postgres://user:pw@host/db',
      'ssh://git:pw@host/repo',
      'https://user:p@ss@host/',
      'https://ho st@x',
      'https://user%40x:pw@host',
      'https://user:pass/word@host',
      'https://user:pass#word@host',
      'jdbc:postgresql://user:pw@host/db',
      'view-source:https://token@host',
      'data://user:pw@host',
    ]) {
      assert.equal(hasUserInfo(url), true, url)
    }
    for (const url of [
      '',
      'r',
      'https://host/@scope/name',
      'https://host/?user=a@b',
      'https://host#a@b',
      'https://host:8443/a:b@c',
      'https://[::1]:8443/a@b',
      'https://[::1]/a@b',
      'npx/@scope/server@1.0',
      'git@github.com:org/repo.git',
      'ssh://git@github.com/org/repo.git',
      'git+ssh://git@github.com/org/repo.git',
      'mailto:someone@example.com',
      'pkg:npm/@scope/name@1.0.0',
      'jdbc:postgresql://host:5432/db?user=a@b',
      'did:web:host:user@x',
    ]) {
      assert.equal(hasUserInfo(url), false, url)
    }
  })
})
