import type { Caller } from '../api/caller.ts'
import { Problem } from '../api/problem.ts'
import type { Core } from '../core.ts'
import { toValues, withDefaults } from './agents.ts'
import type { AgentText, NamedSecrets } from './change.ts'
import { type Columns, insertAgent, type RevisionRecord } from './change-statement.ts'
import { bytesOf, refuseTooLarge, SETTABLE_COLUMNS } from './columns.ts'
import { findUsedKey, type IdempotencyKey, idempotencyClaim, toIdempotencyKey } from './create-once.ts'
import { AGENT_DEFAULTS, AGENT_NAME_LENGTH } from './fields.ts'
import { readState } from './history/history.ts'
import { type AgentState, findAgentAt } from './history/past-agent.ts'
import { AgentCreate, type AgentUpdate } from './schema.ts'
import { inspect, refuseFaults } from './secrets/inspect.ts'
import { namedField } from './secrets/schema.ts'
import {
  readSecretChanges,
  rejectUnknownMasks,
  type SecretChanges,
  secretColumns,
  showSupplied,
} from './secrets/secret-change.ts'

type CreatedAgent = AgentText & { id: string }

export async function createAgent(
  core: Core,
  caller: Caller,
  body: AgentCreate,
  idempotencyKey?: string,
): Promise<CreatedAgent> {
  return insertOnce(core, caller, body, toIdempotencyKey(core.secrets, caller, idempotencyKey, body), {})
}

/** Creates an agent with the values of another one, without its secrets and what it has earned. */
export async function cloneAgent(
  core: Core,
  caller: Caller,
  id: string,
  overrides: AgentUpdate,
  idempotencyKey?: string,
): Promise<CreatedAgent> {
  // A list, because the body of a creation is none.
  const key = toIdempotencyKey(core.secrets, caller, idempotencyKey, ['clone', id, overrides])
  // First: the other agent may have been deleted since.
  const first = key && (await findFirst(core, caller, key, overrides))
  if (first) return first
  const source = await readState(core, caller, id)
  // A reference to a secret of the other agent stays, for a secret of the same name.
  return insertOnce(core, caller, copyOf(source, overrides), key, namedSecretsOf(source))
}

/** The agent that the first request with the key created, which may be this one. `namedSecrets`: what the values may
 * refer to. */
async function insertOnce(
  core: Core,
  caller: Caller,
  body: AgentCreate,
  key: IdempotencyKey | undefined,
  namedSecrets: NamedSecrets,
): Promise<CreatedAgent> {
  const { record, columns, changes } = prepareCreation(core, caller, body, namedSecrets)
  const sql = core.database.of(caller.teamId)
  const created = await insertAgent(sql, record, columns, key && idempotencyClaim(key))
  if (created) {
    const { id, credentialWarnings } = record
    return { ...created, id, text: showSupplied(created.text, changes), credentialWarnings }
  }
  const first = key && (await findFirst(core, caller, key, body))
  if (!first) throw new Error('The idempotency key conflicts with a row that cannot be found')
  return first
}

/** The agent that the first request with this key created. Undefined if this is the first. */
async function findFirst(
  { database, secrets, now, newId }: Core,
  caller: Caller,
  key: IdempotencyKey,
  body: AgentUpdate,
): Promise<CreatedAgent | undefined> {
  const { teamId } = caller
  const sql = database.of(teamId)
  const at = { now: Math.floor(now() / 1_000), eventId: newId() }
  const first = await findUsedKey<{ agent_id: string }>(sql, caller, key, CREATIONS, at)
  if (!first) return undefined
  if (!first.is_same) throw new Problem('idempotency_conflict')
  const id = first.agent_id
  const agent = await findAgentAt(sql, teamId, id, FIRST_REVISION, false)
  // The key and the agent were stored together, so an agent that is missing now has been deleted.
  if (!agent) throw new Problem('idempotency_agent_deleted')
  const changes = readSecretChanges(secrets, { teamId, agentId: id }, body)
  const { warnings: credentialWarnings } = inspect(pickCreateFields(agent.text))
  return { ...agent, id, text: showSupplied(agent.text, changes), credentialWarnings }
}

const CREATIONS = { table: 'idempotency_keys', columns: 'agent_id', agent: 'agent_id' } as const

function pickCreateFields(text: string): Record<string, unknown> {
  const agent = JSON.parse(text) as AgentCreate
  return Object.fromEntries(CREATE_FIELDS.map((name) => [name, agent[name]]))
}

/** An agent that can be inserted. */
interface Creation {
  record: RevisionRecord & { credentialWarnings: readonly string[] }
  columns: Columns
  changes: SecretChanges
  /** The named secrets that the values refer to. */
  references: readonly string[]
}

const FIRST_REVISION = 1

const CREATE_FIELDS = Object.keys(AgentCreate.properties) as (keyof AgentCreate)[]

/** Throws if the body cannot become an agent. `namedSecrets`: what its values may refer to; `any`: also to secrets
 * that are stored later. */
export function prepareCreation(
  { secrets, now, newId }: Core,
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

const SUFFIX = ' (copy)'

/** The body that creates a copy of an agent. Its `import_metadata` says what it is a copy of, and which secrets it
 * lacks. */
function copyOf(source: AgentState, overrides: AgentUpdate): AgentCreate {
  const { agent, revision } = source
  const { github_token: token, ...config } = agent.white_box_config ?? {}
  const copied = {
    ...agent,
    agent_name:
      Array.from(agent.agent_name)
        .slice(0, AGENT_NAME_LENGTH - SUFFIX.length)
        .join('') + SUFFIX,
    white_box_config: agent.white_box_config && config,
  }
  const leftOut = [
    ...(agent.api_key == null ? [] : ['api_key']),
    ...(token == null ? [] : ['white_box_config.github_token']),
    ...Object.keys(namedSecretsOf(source)).toSorted().map(namedField),
  ]
  const kept = SETTABLE_COLUMNS.filter(({ isEarned }) => !isEarned)
  const origin = {
    source: 'clone',
    source_agent_id: agent.id,
    source_revision: revision,
    left_out_secrets: leftOut,
  }
  return {
    ...(Object.fromEntries(kept.map(({ name }) => [name, copied[name]])) as unknown as AgentCreate),
    status: 'draft',
    capabilities: agent.capabilities ?? null,
    skills: agent.skills ?? null,
    import_metadata: origin,
    ...replacedValues(overrides),
  }
}

/** As in an update, `null` for a field that is never null keeps the value, and unknown fields are ignored. */
function replacedValues({ api_key, ...fields }: AgentUpdate): Partial<AgentCreate> {
  const replaced = SETTABLE_COLUMNS.filter((column) => {
    const value = fields[column.name]
    return value !== undefined && (value !== null || !column.ignoresNull)
  })
  return {
    ...Object.fromEntries(replaced.map(({ name }) => [name, fields[name]])),
    ...(api_key !== undefined && { api_key }),
  }
}

/** The named secrets that the agent has. */
function namedSecretsOf({ secrets }: AgentState): NamedSecrets {
  return Object.fromEntries([...secrets].flatMap(([name, secret]) => (secret ? [[name, secret]] : [])))
}
