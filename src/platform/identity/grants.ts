import type { Permission } from '../../contract/permissions.ts'
import { readClaim, readWords } from './claims.ts'

/** The permissions of each role (`AUTH_ROLES`). */
export type Roles = ReadonlyMap<string, readonly Permission[]>

/** A value of a permission claim, and what it grants. */
export interface Grant {
  claim: string
  /** A permission, a role, or a name that means nothing to the console. */
  value: string
  /** What `value` grants as a role. */
  ofRole: readonly Permission[]
}

export function readGrants(payload: object, claimNames: readonly string[], roles: Roles): Grant[] {
  return claimNames.flatMap((claim) =>
    readWords(readClaim(payload, claim)).map((value) => ({ claim, value, ofRole: roles.get(value) ?? [] })),
  )
}
