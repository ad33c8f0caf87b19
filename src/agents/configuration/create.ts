import { AGENT_DEFAULTS, AgentCreate, type AgentUpdate } from '../../contract/agent.ts'
import { Problem } from '../../contract/problem.ts'
import type { Sql } from '../../platform/database.ts'
import type { Caller } from '../../platform/identity.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { AgentText, NamedSecrets } from '../change-agent.ts'
import type { History } from '../history/service.ts'
import { inspect, refuseFaults } from '../secrets/inspect.ts'
import {
  readSecretChanges,
  rejectUnknownMasks,
  secretColumns,
  showSupplied,
} from '../secrets/secret-change.ts'
import { bytesOf, refuseTooLarge } from '../size.ts'
import { copyOf, namedSecretsOf } from './copy.ts'
import { findIdempotencyKey, type IdempotencyKey, toIdempotencyKey } from './idempotency.ts'
import { insertAgent } from './store.ts'
import { toValues, withDefaults } from './values.ts'

export interface AgentsDeps {
  sql: Sql
  secrets: Secrets
  history: History
  /** Milliseconds since the epoch. */
  now: () => number
  newId: (atMs?: number) => string
}

type CreatedAgent = AgentText & { id: string }

const FIRST_REVISION = 1

const CREATE_FIELDS = Object.keys(AgentCreate.properties) as (keyof AgentCreate)[]

/** The two operations that create an agent. */
export function createCreations({ sql, secrets, history, now, newId }: AgentsDeps) {
  /** `namedSecrets`: what the values may refer to. */
  const insert = async (
    caller: Caller,
    body: AgentCreate,
    key: IdempotencyKey | undefined,
    namedSecrets: NamedSecrets,
  ): Promise<CreatedAgent> => {
    // One time for the id and the column, so that the order of ids is the order of creation.
    const nowMs = now()
    const id = newId(nowMs)
    const changes = readSecretChanges(secrets, { teamId: caller.teamId, agentId: id }, body)
    rejectUnknownMasks(changes)
    const values = {
      import_metadata: { ...body.import_metadata, source: body.import_metadata?.source ?? 'manual' },
      capabilities: body.capabilities ?? {},
      skills: body.skills ?? [],
      ...withDefaults(toValues(body, changes)),
    }
    const bytes = bytesOf(Object.values(values))
    refuseTooLarge(bytes)
    const findings = inspect(values)
    refuseFaults(findings, namedSecrets)
    const { warnings: credentialWarnings } = findings
    const created = await insertAgent(
      sql,
      {
        caller,
        id,
        revision: FIRST_REVISION,
        changedAt: Math.floor(nowMs / 1_000),
        auditId: newId(nowMs),
        action: 'created',
        fields: CREATE_FIELDS.filter((name) => body[name] != null),
        before: {},
        credentialWarnings,
      },
      {
        trust_stage: AGENT_DEFAULTS.trust_stage,
        ...values,
        ...secretColumns('api_key', changes.api_key, FIRST_REVISION),
        ...secretColumns('github_token', changes.github_token, FIRST_REVISION),
        bytes,
      },
      key,
    )
    if (created) return { ...created, id, text: showSupplied(created.text, changes), credentialWarnings }
    // The key was used before: the response is the one that the first request got.
    const first = key && (await findFirst(caller, key, body))
    if (!first) throw new Error('The idempotency key conflicts with a row that cannot be found')
    return first
  }

  /** The agent that the first request with this key created. Undefined if this is the first. */
  const findFirst = async (
    caller: Caller,
    key: IdempotencyKey,
    body: AgentUpdate,
  ): Promise<CreatedAgent | undefined> => {
    const ids = { now: Math.floor(now() / 1_000), eventId: newId() }
    const first = await findIdempotencyKey(sql, caller, key, ids)
    if (!first) return undefined
    if (!first.is_same) throw new Problem('idempotency_conflict')
    const id = first.agent_id
    const agent = await history.findAt(caller, id, FIRST_REVISION)
    // The key and the agent were stored together, so an agent that is missing now has been deleted.
    if (!agent) throw new Problem('idempotency_agent_deleted')
    const changes = readSecretChanges(secrets, { teamId: caller.teamId, agentId: id }, body)
    const { warnings: credentialWarnings } = inspect(pickCreateFields(agent.text))
    return { ...agent, id, text: showSupplied(agent.text, changes), credentialWarnings }
  }

  return {
    create: (caller: Caller, body: AgentCreate, idempotencyKey?: string): Promise<CreatedAgent> =>
      insert(caller, body, toIdempotencyKey(secrets, caller, idempotencyKey, body), {}),

    /** Creates an agent with the values of another one, without its secrets and what it has earned. */
    async clone(
      caller: Caller,
      id: string,
      overrides: AgentUpdate,
      idempotencyKey?: string,
    ): Promise<CreatedAgent> {
      // A list, because the body of a creation is none.
      const key = toIdempotencyKey(secrets, caller, idempotencyKey, ['clone', id, overrides])
      // First: the other agent may have been deleted since.
      const first = key && (await findFirst(caller, key, overrides))
      if (first) return first
      const source = await history.currentState(caller, id)
      // A reference to a secret of the other agent stays, for a secret of the same name.
      return insert(caller, copyOf(source, overrides), key, namedSecretsOf(source))
    },
  }
}

function pickCreateFields(text: string): Record<string, unknown> {
  const agent = JSON.parse(text) as AgentCreate
  return Object.fromEntries(CREATE_FIELDS.map((name) => [name, agent[name]]))
}
