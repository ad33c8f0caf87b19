import {
  AGENT_DEFAULTS,
  type Agent,
  AgentCreate,
  type AgentUpdate,
  SETTABLE_FIELDS,
} from '../contract/agent.ts'
import { Problem } from '../contract/problem.ts'
import { RequestInvalid } from '../contract/validation-error.ts'
import type { Sql } from '../platform/database.ts'
import type { Caller } from '../platform/identity.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { SettableColumn } from './columns.ts'
import { findAgentAt } from './history-store.ts'
import { type Claim, findClaimed, toClaim } from './idempotency.ts'
import { type AgentAt, present, presentWithScores } from './present.ts'
import { readSecretChanges, SECRET_LOCATIONS, type SecretChanges, withTokenMasked } from './secret-change.ts'
import {
  type AgentChange,
  type AgentRow,
  type AgentText,
  type ColumnValues,
  findAgent,
  findAgentText,
  insertAgent,
  updateAgent,
} from './store.ts'

export interface AgentsDeps {
  sql: Sql
  secrets: Secrets
  /** Milliseconds since the epoch. */
  now: () => number
  newId: (atMs?: number) => string
}

export type Agents = ReturnType<typeof createAgents>

export function createAgents({ sql, secrets, now, newId }: AgentsDeps) {
  const nowSeconds = () => Math.floor(now() / 1_000)

  const change = async (
    caller: Caller,
    id: string,
    body: AgentUpdate,
    changes: SecretChanges,
    options: Pick<AgentChange, 'action' | 'expectedRevisions' | 'restoredRevision'>,
  ): Promise<AgentAt> => {
    const result = await updateAgent(sql, caller.teamId, id, {
      ...options,
      now: nowSeconds(),
      changedBy: caller.userId,
      eventId: newId(),
      requestId: caller.requestId,
      values: toColumns(body, changes),
      secrets: changes,
    })
    if (!result) throw new Problem('agent_not_found')
    const { outcome, api_key_matches, github_token_matches, ...row } = result
    if (outcome === 'stale') throw new Problem('revision_stale')
    refuseForeignMasks((name) => (name === 'api_key' ? api_key_matches : github_token_matches))
    return present(row, changes)
  }

  /** What the first request with this claim made, as it was then. */
  const findFirst = async (caller: Caller, claim: Claim | undefined): Promise<AgentRow> => {
    const claimed = claim && (await findClaimed(sql, caller.teamId, claim))
    if (!claimed) throw new Error('A claim was refused and is not there')
    if (!claimed.is_same) throw new Problem('idempotency_conflict')
    const row = await findAgentAt(sql, caller.teamId, claimed.agent_id, 1)
    if (!row) throw new Problem('agent_not_found')
    return row
  }

  return {
    async create(caller: Caller, body: AgentCreate, idempotencyKey?: string): Promise<AgentAt> {
      // Of one moment, so that the order of ids is the order of creation.
      const nowMs = now()
      const id = newId(nowMs)
      const claim =
        idempotencyKey === undefined ? undefined : toClaim(secrets, caller.teamId, idempotencyKey, body)
      const changes = readSecretChanges(secrets, { teamId: caller.teamId, agentId: id }, body)
      refuseForeignMasks((name) => changes[name].action !== 'match')
      const row = await insertAgent(sql, {
        teamId: caller.teamId,
        id,
        createdBy: caller.userId,
        eventId: newId(nowMs),
        requestId: caller.requestId,
        now: Math.floor(nowMs / 1_000),
        trustStage: AGENT_DEFAULTS.trust_stage,
        origin: {
          import_metadata: { ...body.import_metadata, source: body.import_metadata?.source ?? 'manual' },
          capabilities: body.capabilities ?? {},
          skills: body.skills ?? [],
        },
        values: withDefaults(toColumns(body, changes)),
        secrets: changes,
        fields: Object.keys(AgentCreate.properties).filter((name) => body[name as keyof AgentCreate] != null),
        claim,
      })
      return present(row ?? (await findFirst(caller, claim)), changes)
    },

    /** The answer to a plain read, as it is sent. */
    async readText(caller: Caller, id: string): Promise<AgentText> {
      const found = await findAgentText(sql, caller.teamId, id)
      if (!found) throw new Problem('agent_not_found')
      return found
    },

    async read(caller: Caller, id: string, { includeScores = false } = {}): Promise<AgentAt> {
      const row = await findAgent(sql, caller.teamId, id)
      if (!row) throw new Problem('agent_not_found')
      return includeScores ? presentWithScores(row) : present(row)
    },

    update: (caller: Caller, id: string, body: AgentUpdate, expectedRevisions: number[] | null) => {
      const changes = readSecretChanges(secrets, { teamId: caller.teamId, agentId: id }, body)
      return change(caller, id, body, changes, {
        action: 'updated',
        expectedRevisions,
        restoredRevision: null,
      })
    },

    /** An update whose values are those of an earlier revision, null where that had null. Secrets stay, and the
     * values carry the mask of the token there is now: with that of another they are refused. */
    restore: (
      caller: Caller,
      id: string,
      values: Agent,
      options: { expectedRevisions: number[] | null; restoredRevision: number },
    ) => {
      const mask = values.white_box_config?.github_token ?? null
      const changes: SecretChanges = { api_key: { action: 'keep' }, github_token: { action: 'match', mask } }
      return change(caller, id, values, changes, { action: 'restored', ...options })
    },
  }
}

/** A mask stands for a secret only where it was read: anywhere else it would be stored as one. */
function refuseForeignMasks(matches: (name: keyof SecretChanges) => boolean): void {
  const foreign = (Object.keys(SECRET_LOCATIONS) as (keyof SecretChanges)[]).filter((name) => !matches(name))
  if (foreign.length === 0) return
  throw new RequestInvalid(
    foreign.map((name) => ({
      loc: [...SECRET_LOCATIONS[name]],
      msg: 'Value error, this is a mask, and not the one this agent has now; send the secret, or null to clear it',
      type: 'value_error',
    })),
  )
}

function toColumns(body: AgentUpdate, changes: SecretChanges): ColumnValues {
  const values: ColumnValues = {}
  for (const name of SETTABLE_FIELDS) {
    if (name !== 'api_key' && body[name] !== undefined) values[name] = body[name]
  }
  values.white_box_config = withTokenMasked(body.white_box_config, changes.github_token)
  return values
}

function withDefaults(values: ColumnValues): Record<SettableColumn, unknown> {
  const defaults: ColumnValues = { ...AGENT_DEFAULTS, delegated_agents: [] }
  return Object.fromEntries(
    SETTABLE_FIELDS.filter((name) => name !== 'api_key').map((name) => [
      name,
      values[name] ?? defaults[name],
    ]),
  ) as Record<SettableColumn, unknown>
}
