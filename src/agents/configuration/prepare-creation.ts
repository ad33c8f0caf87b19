import { AGENT_DEFAULTS, AgentCreate } from '../../contract/agent.ts'
import type { Caller } from '../../platform/identity/identity.ts'
import type { Secrets } from '../../platform/secrets/secrets.ts'
import type { NamedSecrets } from '../change-agent.ts'
import type { Columns, RevisionRecord } from '../change-statement.ts'
import { inspect, refuseFaults } from '../secrets/inspect.ts'
import {
  readSecretChanges,
  rejectUnknownMasks,
  type SecretChanges,
  secretColumns,
} from '../secrets/secret-change.ts'
import { bytesOf, refuseTooLarge } from '../size.ts'
import { toValues, withDefaults } from './values.ts'

export interface CreationDeps {
  secrets: Secrets
  /** Milliseconds since the epoch. */
  now: () => number
  newId: (atMs?: number) => string
}

/** An agent that can be inserted. */
export interface Creation {
  record: RevisionRecord & { credentialWarnings: readonly string[] }
  columns: Columns
  changes: SecretChanges
  /** The named secrets that the values refer to. */
  references: readonly string[]
}

export const FIRST_REVISION = 1

export const CREATE_FIELDS = Object.keys(AgentCreate.properties) as (keyof AgentCreate)[]

/** Throws if the body cannot become an agent. `namedSecrets`: what its values may refer to; `any`: also to secrets
 * that are stored later. */
export function prepareCreation(
  { secrets, now, newId }: CreationDeps,
  caller: Caller,
  body: AgentCreate,
  namedSecrets: NamedSecrets | 'any',
): Creation {
  // One time for the id and the column, so that the order of ids is the order of creation.
  const nowMs = now()
  const id = newId(nowMs)
  const changes = readSecretChanges(secrets, { teamId: caller.teamId, agentId: id }, body)
  rejectUnknownMasks(changes)
  const values = withDefaults(toValues(body, changes, true))
  const bytes = bytesOf(Object.values(values))
  refuseTooLarge(bytes)
  const findings = inspect(values)
  const references = [...findings.references.keys()]
  if (namedSecrets === 'any') refuseFaults({ ...findings, references: new Map() }, {})
  else refuseFaults(findings, namedSecrets)
  return {
    record: {
      caller,
      id,
      revision: FIRST_REVISION,
      action: 'created',
      before: {},
      changedAt: Math.floor(nowMs / 1_000),
      auditId: newId(nowMs),
      fields: CREATE_FIELDS.filter((name) => body[name] != null),
      credentialWarnings: findings.warnings,
    },
    columns: {
      trust_stage: AGENT_DEFAULTS.trust_stage,
      ...values,
      ...secretColumns('api_key', changes.api_key, FIRST_REVISION),
      ...secretColumns('github_token', changes.github_token, FIRST_REVISION),
      bytes,
    },
    changes,
    references,
  }
}
