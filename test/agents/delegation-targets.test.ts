import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { normaliseUrl, readDelegations } from '../../src/agents/delegation/targets.ts'

describe('the normal form of a URL', () => {
  const SAME = [
    ['HTTPS://Agent.Example.COM', 'https://agent.example.com'],
    ['https://agent.example.com:443/', 'https://agent.example.com'],
    ['http://agent.example.com:80/a/#part', 'http://agent.example.com/a'],
    [' https://agent.example.com/a?x=1#y ', 'https://agent.example.com/a?x=1'],
    ['grpc://HOST:50051/', 'grpc://host:50051'],
    ['https://user:secret@agent.example.com/', 'https://agent.example.com'],
    ['no url', 'no url'],
    ['mailto:A@example.com', 'mailto:A@example.com'],
  ]
  for (const [url = '', normal] of SAME) {
    it(`of ${url} is ${normal}`, () => {
      assert.equal(normaliseUrl(url), normal)
      assert.equal(normaliseUrl(normaliseUrl(url)), normal)
    })
  }

  it('tells schemes, ports, paths and queries apart', () => {
    const urls = [
      'https://a',
      'http://a',
      'https://a:8443',
      'https://a/B',
      'https://a/b',
      'https://a?b',
      'https://a/b//',
    ]
    assert.equal(new Set(urls.map(normaliseUrl)).size, urls.length)
  })
})

describe('delegations', () => {
  it('of any stored value are read without an error', () => {
    for (const value of [null, undefined, {}, 'x', [], [{}], [{ url: 5, agent_id: {}, name: null }]]) {
      for (const { target_id, card_key, url_key } of readDelegations(value)) {
        assert.deepEqual([target_id, card_key, url_key], [null, null, null])
      }
    }
  })

  it('have keys that tell the kinds of URLs apart, and a label of bounded length', () => {
    const [one] = readDelegations([{ url: 'https://a', agent_card_url: 'https://a' }])
    assert.notEqual(one?.card_key, one?.url_key)
    const long = `https://a/${'😀'.repeat(900)}`
    assert.ok((readDelegations([{ url: long }])[0]?.label?.length ?? 0) <= 255)
    assert.equal(readDelegations(Array.from({ length: 2_000 }, () => ({}))).length, 1_001)
  })
})
