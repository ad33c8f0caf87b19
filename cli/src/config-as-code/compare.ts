import { isDeepStrictEqual } from 'node:util'
import type { ManagedAgent } from '@agent-console/sdk'
import type { DesiredAgent } from './desired.ts'
import type { LiveAgent } from './set-client.ts'

export const ownsSame = (owned: readonly string[], spec: object): boolean => {
  const fields = Object.keys(spec)
  return owned.length === fields.length && fields.every((field) => owned.includes(field))
}

/** Whether an agent certainly has what its document asks for. Only the console knows whether a secret is the same. */
export function isUnchanged(
  { spec, secrets }: DesiredAgent,
  member: ManagedAgent,
  live: LiveAgent | undefined,
): boolean {
  return live !== undefined && secrets.length === 0 && ownsSame(member.fields, spec) && hasValues(live, spec)
}

/** Only the fields of the document: all others belong to somewhere else. */
export const hasValues = (live: LiveAgent, spec: object): boolean =>
  Object.entries(spec).every(([field, value]) => isDeepStrictEqual(live[field as keyof LiveAgent], value))
