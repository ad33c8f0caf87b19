import { AGENT_OPERATION } from '../contract/operation.ts'
import type { Permission } from '../contract/permissions.ts'
import type { Lane } from '../platform/fairness/lanes.ts'

/** The options of a route: the permission that it needs, its schemas, and its lane at the database. */
export function operation<const Schema extends { operationId: string; summary: string }>(
  permission: Permission,
  schema: Schema,
  lane: 'by_method' | ((query: unknown) => Lane) = 'by_method',
  // Every read of secrets leaves a record.
  isAudited = permission === 'agent:secret',
) {
  const audited = isAudited ? { isAudited: true } : {}
  return { config: { permission, lane, ...audited }, schema: { ...schema, ...AGENT_OPERATION } }
}
