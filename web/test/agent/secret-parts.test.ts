import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Agent } from '@agent-console/sdk'
import { updateOf, valueOf } from '../../src/agent/secrets/secrets.ts'

const secrets = { api_key: 'key', white_box_config: { github_token: 'token' }, secrets: { crm: 'named' } }

test('each secret has its own value, and an unknown one has none', () => {
  assert.equal(valueOf(secrets, 'api_key'), 'key')
  assert.equal(valueOf(secrets, 'white_box_config.github_token'), 'token')
  assert.equal(valueOf(secrets, 'secrets.crm'), 'named')
  assert.equal(valueOf(secrets, 'secrets.other'), null)
})

test('a new token keeps the rest of the configuration, which an update replaces as a whole', () => {
  const agent = { white_box_config: { repo_url: 'a', github_token: '********' } } as Agent
  assert.deepEqual(updateOf(agent, 'api_key', 'x'), { api_key: 'x' })
  assert.deepEqual(updateOf(agent, 'white_box_config.github_token', null), {
    white_box_config: { repo_url: 'a', github_token: null },
  })
  assert.deepEqual(updateOf({ white_box_config: null } as Agent, 'white_box_config.github_token', 'x'), {
    white_box_config: { github_token: 'x' },
  })
})
