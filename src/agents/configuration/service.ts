import { AGENT_DEFAULTS, AgentCreate, type AgentUpdate } from '../../contract/agent.ts'
import { Problem } from '../../contract/problem.ts'
import type { Sql } from '../../platform/database.ts'
import type { Caller } from '../../platform/identity.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { type AgentText, type Change, changeAgent, type StoredAgent } from '../change-agent.ts'
import { type ColumnValues, SETTABLE_COLUMNS } from '../columns.ts'
import { changedColumns, describeColumns, settableValues } from '../compare.ts'
import type { History } from '../history/service.ts'
import { inspect, refuseFaults } from '../secrets/inspect.ts'
import { requireSecretForNewOrigin } from '../secrets/new-origin.ts'
import {
  changedSecret,
  readSecretChanges,
  rejectUnknownMasks,
  type SecretChanges,
  secretColumns,
  showSupplied,
  withTokenMasked,
} from '../secrets/secret-change.ts'
import { bytesOf, refuseTooLarge } from '../size.ts'
import { findIdempotencyKey, toIdempotencyKey } from './idempotency.ts'
import { findAgent, insertAgent } from './store.ts'

export interface AgentsDeps {
  sql: Sql
  secrets: Secrets
  history: History
  /** Milliseconds since the epoch. */
  now: () => number
  newId: (atMs?: number) => string
}

const FIRST_REVISION = 1

export type Agents = ReturnType<typeof createAgents>

export function createAgents({ sql, secrets, history, now, newId }: AgentsDeps) {
  return {
    async create(
      caller: Caller,
      body: AgentCreate,
      idempotencyKey?: string,
    ): Promise<AgentText & { id: string }> {
      // One time for the id and the column, so that the order of ids is the order of creation.
      const nowMs = now()
      const changedAt = Math.floor(nowMs / 1_000)
      const id = newId(nowMs)
      const key = toIdempotencyKey(secrets, caller, idempotencyKey, body)
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
      refuseFaults(findings, {})
      const { warnings: credentialWarnings } = findings
      const created = await insertAgent(
        sql,
        {
          caller,
          id,
          revision: FIRST_REVISION,
          changedAt,
          auditId: newId(nowMs),
          action: 'created',
          fields: Object.keys(AgentCreate.properties).filter(
            (name) => body[name as keyof AgentCreate] != null,
          ),
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
      const first = key && (await findIdempotencyKey(sql, caller, key, { now: changedAt, eventId: newId() }))
      if (!first) throw new Error('The idempotency key conflicts with a row that cannot be found')
      if (!first.is_same) throw new Problem('idempotency_conflict')
      const agent = await history.findAt(caller, first.agent_id, FIRST_REVISION)
      // The key and the agent were stored together, so an agent that is missing now has been deleted.
      if (!agent) throw new Problem('idempotency_agent_deleted')
      return { ...agent, id: first.agent_id, text: showSupplied(agent.text, changes), credentialWarnings }
    },

    async read(caller: Caller, id: string, { includeScores = false } = {}): Promise<AgentText> {
      const found = await findAgent(sql, caller.teamId, id, includeScores)
      if (!found) throw new Problem('agent_not_found')
      return found
    },

    async update(
      caller: Caller,
      id: string,
      body: AgentUpdate,
      expectedRevisions: number[] | null,
    ): Promise<AgentText> {
      const changes = readSecretChanges(secrets, { teamId: caller.teamId, agentId: id }, body)
      const values = toValues(body, changes)
      const request = { caller, id, expectedRevisions, now: Math.floor(now() / 1_000), auditId: newId() }
      const changed = await changeAgent(sql, request, (stored) => {
        rejectUnknownMasks(changes, stored.agent)
        return decideUpdate(caller, stored, values, changes)
      })
      return { ...changed, text: showSupplied(changed.text, changes) }
    },
  }
}

/** Undefined when the update changes nothing. */
function decideUpdate(
  caller: Caller,
  stored: StoredAgent,
  values: ColumnValues,
  changes: SecretChanges,
): Change | undefined {
  const columns = changedColumns(stored.agent, values)
  const findings = inspect(columns)
  refuseFaults(findings, stored.namedSecrets)
  requireSecretForNewOrigin(caller, stored, columns, changes)
  const token = changedSecret('github_token', changes.github_token, stored)
  const apiKey = changedSecret('api_key', changes.api_key, stored)
  // `white_box_config` includes the token: a new token is a change of the field.
  if (Object.keys(token).length > 0) columns['white_box_config'] = values.white_box_config
  const { fields, before } = describeColumns(stored, columns)
  if (Object.keys(apiKey).length > 0) {
    fields.push('api_key')
    before['api_key_mask'] = stored.agent.api_key ?? null
    before['api_key_revision'] = stored.secretRevisions.api_key
  }
  if (fields.length === 0) return undefined
  return {
    ...{ action: 'updated', fields, before },
    columns: { ...columns, ...token, ...apiKey },
    credentialWarnings: findings.warnings,
  }
}

function toValues(body: AgentUpdate, changes: SecretChanges): ColumnValues {
  const values = settableValues(body)
  if (values.white_box_config) {
    values.white_box_config = withTokenMasked(body.white_box_config, changes.github_token)
  }
  return values
}

function withDefaults(values: ColumnValues): ColumnValues {
  const defaults: ColumnValues = AGENT_DEFAULTS
  return Object.fromEntries(
    SETTABLE_COLUMNS.map(({ name }) => [name, values[name] ?? defaults[name] ?? null]),
  )
}
