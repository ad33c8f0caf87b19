/** What people read for the values of the API. */
export const STATUS: Record<string, string> = {
  active: 'Active',
  under_review: 'Under review',
  pending: 'Pending',
  draft: 'Draft',
  deprecated: 'Deprecated',
  rejected: 'Rejected',
  creating: 'Creating',
  archived: 'Archived',
}

/** In rising order of trust. */
export const STAGES: Record<string, string> = {
  registered: 'Registered',
  tested: 'Tested',
  hardened: 'Hardened',
  trusted: 'Trusted',
  optimized: 'Optimized',
  adapted: 'Adapted',
}

/** In falling order of protection. */
export const PROTECTION: Record<string, string> = {
  guarded: 'Guarded',
  configured: 'Configured',
  unprotected: 'Unprotected',
}

export const EVALUATION: Record<string, string> = {
  current: 'Holds',
  outdated: 'Outdated',
  none: 'None',
}

export const ACCESS: Record<string, string> = {
  black_box: 'Black box: only its URL',
  grey_box: 'Grey box: configuration is visible',
  white_box: 'White box: source is visible',
}

export const PROTOCOL: Record<string, string> = {
  chat_completions: 'Chat completions',
  a2a: 'Agent2Agent (A2A)',
}

export const PERMISSIONS: Record<string, string> = {
  'agent:read': 'Read agents',
  'agent:write': 'Create and change agents',
  'agent:lifecycle': 'Move trust stages',
  'agent:secret': 'Reveal secrets',
  'agent:delete': 'Delete and recover agents',
  'evaluation:write': 'Record evaluations',
  'audit:read': 'Read the audit log',
  'service:read': 'See services',
}

/** A value that this version does not know is shown as it is. */
export function words(table: Record<string, string>, value: string): string {
  return table[value] ?? value
}

/** 1 to 6; 0 for a stage that this version does not know. */
export function stageNumber(stage: string): number {
  return Object.keys(STAGES).indexOf(stage) + 1
}

/** 1 (unprotected) to 3 (guarded); 0 for a state that this version does not know. */
export function protectionNumber(protection: string): number {
  return Object.keys(PROTECTION).toReversed().indexOf(protection) + 1
}

/** "user 3b3cdfcd" for a user without a name: the tokens of some carry none. */
export function personName(name: string | null | undefined, id: string): string {
  return name ?? `user ${id.slice(0, 8)}`
}
