import { PERMISSIONS, type Permission } from '../../contract/permissions.ts'
import type { Roles } from './grants.ts'

/** Parses the name of a claim, a path with dots or a JSON pointer. The error completes the name of the variable. */
export function parseClaimName(text: string): string {
  if (text.startsWith('/') && /~(?![01])/.test(text)) {
    throw new Error('must write ~ as ~0 and / as ~1 inside a JSON pointer')
  }
  return text
}

/** Parses a JSON object with the permissions of each role. */
export function parseRoles(text: string): Roles {
  const roles = Object.entries(parseJsonObject(text))
  for (const [role, granted] of roles) {
    if (isPermission(role)) throw new Error(`has the role ${role}, which is a permission`)
    if (!Array.isArray(granted)) throw new Error(`must have a list of permissions for the role ${role}`)
    const unknown = granted.find((name) => !isPermission(name))
    if (unknown !== undefined) {
      throw new Error(`gives the role ${role} the unknown permission ${JSON.stringify(unknown)}`)
    }
  }
  return new Map(roles as [string, Permission[]][])
}

const isPermission = (name: unknown) => (PERMISSIONS as unknown[]).includes(name)

function parseJsonObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {}
  throw new Error('must be a JSON object such as {"admin": ["agent:read", "agent:write"]}')
}
