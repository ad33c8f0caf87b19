import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgentRevision } from '@agent-console/sdk'
import { restoreEffect } from '../../src/agent/history/diff-rows.ts'

const row = (path: string, before: unknown, after: unknown, secret = false) => ({
  ...{ path, before, after, secret },
})
const revision = (number: number, fields: string[], reason: string | null = null): AgentRevision => ({
  ...{ revision: number, action: 'updated', changed_at: 0, changed_by: 'u', changed_by_name: 'Priya' },
  ...{ fields, restored_revision: null, reason, redacted: [] },
})

test('secrets and the trust stage are not among the fields that a restore changes', () => {
  const rows = [
    row('agent_params.temperature', 0.2, 0.7),
    row('agent_params.top_p', 0.9, null),
    row('purpose', 'new', 'old'),
    row('api_key', '********b702', '********4a39', true),
    row('trust_stage', 'hardened', 'tested'),
  ]
  const { fields, behaviour } = restoreEffect(rows, 44, [])
  assert.deepEqual([fields, behaviour], [['agent_params', 'purpose'], 1])
})

test('more access than now is a warning that names the last change', () => {
  const revisions = [
    revision(47, ['purpose']),
    revision(45, ['mcp_config'], 'not approved'),
    revision(40, ['mcp_config']),
  ]
  const { warnings } = restoreEffect([row('mcp_config.access_level', 'read', 'write')], 44, revisions)
  assert.deepEqual(
    warnings.map(({ title, changedBy }) => [title, changedBy?.revision]),
    [['MCP access goes back to write.', 45]],
  )
})

test('changes before the restored revision are not blamed', () => {
  const { warnings } = restoreEffect([row('mcp_config.access_level', 'read', 'write')], 44, [
    revision(40, ['mcp_config']),
  ])
  assert.equal(warnings[0]?.changedBy, undefined)
})

test('less access and more protection are no warnings', () => {
  const rows = [
    row('mcp_config.access_level', 'admin', 'read'),
    row('protection_status', 'unprotected', 'guarded'),
    row('rate_limit_requests_per_minute', 250, 100),
    row('agent_url', 'https://a.example', null),
  ]
  assert.deepEqual(restoreEffect(rows, 1, []).warnings, [])
})

test('less protection, a lost guard, another endpoint and a higher limit are warnings', () => {
  const rows = [
    row('protection_status', 'guarded', 'unprotected'),
    row('guard_config_id', 'id', null),
    row('agent_url', 'https://a.example', 'https://b.example'),
    row('rate_limit_requests_per_minute', 100, 250),
    row('status', 'archived', 'active'),
  ]
  assert.equal(restoreEffect(rows, 1, []).warnings.length, rows.length)
})
