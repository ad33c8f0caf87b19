import { type Feature, featureOperation } from '../contract/operation.ts'
import type { Permission } from '../contract/permissions.ts'

/** The options of a route: the permission that it needs and its schemas. */
export function operation<const Schema extends { operationId: string; summary: string }>(
  feature: Feature,
  permission: Permission,
  schema: Schema,
  // Every read of secrets leaves a record.
  isAudited = permission === 'agent:secret',
) {
  const audited = isAudited ? { isAudited: true } : {}
  return { config: { permission, ...audited }, schema: { ...schema, ...featureOperation(feature) } }
}
