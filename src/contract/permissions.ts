export const PERMISSIONS = [
  'agent:read',
  'agent:write',
  'agent:lifecycle',
  'agent:secret',
  'agent:delete',
  'evaluation:write',
  'audit:read',
  'service:read',
] as const

export type Permission = (typeof PERMISSIONS)[number]
