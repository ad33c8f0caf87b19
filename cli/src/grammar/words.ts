import type { Agent } from '@agent-console/sdk'

/** Words of the API that options take; a test compares them with the OpenAPI document. */
export const STATUSES = [
  'draft',
  'creating',
  'active',
  'under_review',
  'deprecated',
  'archived',
  'pending',
  'rejected',
] as const satisfies Agent['status'][]

export const TRUST_STAGES = [
  'registered',
  'tested',
  'hardened',
  'trusted',
  'optimized',
  'adapted',
] as const satisfies Agent['trust_stage'][]

export const PROTECTION_STATUSES = [
  'unprotected',
  'configured',
  'guarded',
] as const satisfies Agent['protection_status'][]

export const SORT_ORDERS = [
  '-created_at',
  'created_at',
  'agent_name',
  '-agent_name',
  'score',
  '-score',
] as const

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const
