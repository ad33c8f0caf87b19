import { AGENT_OPERATION } from '../contract/operation.ts'
import type { Permission } from '../contract/permissions.ts'

/** The options of a route: the permission that it needs, and its schemas. */
export function operation<const Schema extends { operationId: string; summary: string }>(
  permission: Permission,
  schema: Schema,
) {
  return { config: { permission }, schema: { ...schema, ...AGENT_OPERATION } }
}
