import type { AgentCreate, AgentUpdate } from '../../contract/agent.ts'
import { Problem } from '../../contract/problem.ts'
import type { Sessions } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/identity/identity.ts'
import type { AgentText, NamedSecrets } from '../change-agent.ts'
import { externalKeyClaim } from '../external-keys.ts'
import type { History } from '../history/service.ts'
import { inspect } from '../secrets/inspect.ts'
import { readSecretChanges, showSupplied } from '../secrets/secret-change.ts'
import { copyOf, namedSecretsOf } from './copy.ts'
import { findUsedKey, type IdempotencyKey, idempotencyClaim, toIdempotencyKey } from './idempotency.ts'
import { CREATE_FIELDS, type CreationDeps, FIRST_REVISION, prepareCreation } from './prepare-creation.ts'
import { insertAgent } from './store.ts'

export interface AgentsDeps extends CreationDeps {
  sql: Sessions
  history: History
}

const CREATIONS = { table: 'idempotency_keys', columns: 'agent_id', agent: 'agent_id' } as const

type CreatedAgent = AgentText & { id: string }

/** What a row of an import creates, or would create. */
export interface ImportedCreation {
  id: string
  revision: number
  fields: readonly string[]
  credentialWarnings: readonly string[]
  /** The named secrets that the agent refers to and does not have. */
  missingSecrets: readonly string[]
}

export interface ImportedKey {
  externalKey: string
  /** The agent that has the key and is being erased. */
  replaces: string | null
  /** The import, if it has an idempotency key. */
  bulkId: string | undefined
}

/** The operations that create agents. */
export function createCreations(deps: AgentsDeps) {
  const { sql, secrets, history, now, newId } = deps

  /** `namedSecrets`: what the values may refer to. */
  const insert = async (
    caller: Caller,
    body: AgentCreate,
    key: IdempotencyKey | undefined,
    namedSecrets: NamedSecrets,
  ): Promise<CreatedAgent> => {
    const { record, columns, changes } = prepareCreation(deps, caller, body, namedSecrets)
    const created = await insertAgent(sql.of(caller.teamId), record, columns, key && idempotencyClaim(key))
    if (created) {
      const { id, credentialWarnings } = record
      return { ...created, id, text: showSupplied(created.text, changes), credentialWarnings }
    }
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
    const first = await findUsedKey<{ agent_id: string }>(sql.of(caller.teamId), caller, key, CREATIONS, ids)
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

    /** Creates the agent of an external key. Undefined if another import has created it since. */
    async createImported(
      caller: Caller,
      body: AgentCreate,
      { externalKey, replaces, bulkId }: ImportedKey,
    ): Promise<ImportedCreation | undefined> {
      const { record, columns, references } = prepareCreation(deps, caller, body, 'any')
      const claim = externalKeyClaim(externalKey, replaces)
      const created = await insertAgent(sql.of(caller.teamId), { ...record, bulkId }, columns, claim)
      return created && { ...record, missingSecrets: references }
    },

    /** What it would create. */
    planImported(caller: Caller, body: AgentCreate): ImportedCreation {
      const { record, references } = prepareCreation(deps, caller, body, 'any')
      return { ...record, missingSecrets: references }
    },

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
