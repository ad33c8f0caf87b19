import {
  AGENT_DEFAULTS,
  type Agent,
  type AgentCreate,
  type AgentUpdate,
  SETTABLE_FIELDS,
} from '../contract/agent.ts'
import { Problem } from '../contract/problem.ts'
import { RequestInvalid } from '../contract/validation-error.ts'
import type { Sql } from '../platform/database.ts'
import type { Caller } from '../platform/identity.ts'
import type { Secrets } from '../platform/secrets.ts'
import type { SettableColumn } from './columns.ts'
import {
  readSecretChanges,
  SECRET_LOCATIONS,
  type SecretChange,
  type SecretChanges,
  withTokenMasked,
} from './secret-change.ts'
import { type AgentRow, type ColumnValues, findAgent, insertAgent, updateAgent } from './store.ts'

export interface AgentsDeps {
  sql: Sql
  secrets: Secrets
  /** Milliseconds since the epoch. */
  now: () => number
  newId: () => string
}

/** An agent together with the revision it is at. */
export interface AgentAt {
  agent: Agent
  revision: number
}

export type Agents = ReturnType<typeof createAgents>

export function createAgents({ sql, secrets, now, newId }: AgentsDeps) {
  const nowSeconds = () => Math.floor(now() / 1_000)

  return {
    async create(caller: Caller, body: AgentCreate): Promise<AgentAt> {
      const id = newId()
      const changes = readSecretChanges(secrets, { teamId: caller.teamId, agentId: id }, body)
      refuseForeignMasks((name) => changes[name].action !== 'match')
      const row = await insertAgent(sql, {
        teamId: caller.teamId,
        id,
        createdBy: caller.userId,
        now: nowSeconds(),
        trustStage: AGENT_DEFAULTS.trust_stage,
        origin: {
          import_metadata: { ...body.import_metadata, source: body.import_metadata?.source ?? 'manual' },
          capabilities: body.capabilities ?? {},
          skills: body.skills ?? [],
        },
        values: withDefaults(toColumns(body, changes)),
        secrets: changes,
      })
      return present(row, changes)
    },

    async read(caller: Caller, id: string): Promise<AgentAt> {
      const row = await findAgent(sql, caller.teamId, id)
      if (!row) throw new Problem('agent_not_found')
      return present(row)
    },

    async update(
      caller: Caller,
      id: string,
      body: AgentUpdate,
      expectedRevisions: number[] | null,
    ): Promise<AgentAt> {
      const changes = readSecretChanges(secrets, { teamId: caller.teamId, agentId: id }, body)
      const result = await updateAgent(sql, caller.teamId, id, {
        expectedRevisions,
        now: nowSeconds(),
        values: toColumns(body, changes),
        secrets: changes,
      })
      if (!result) throw new Problem('agent_not_found')
      const { outcome, api_key_matches, github_token_matches, ...row } = result
      if (outcome === 'stale') throw new Problem('revision_stale')
      refuseForeignMasks((name) => (name === 'api_key' ? api_key_matches : github_token_matches))
      return present(row, changes)
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

/** Secrets are masked, but for those this very request supplied: its answer echoes them. */
function present({ revision, api_key_mask, ...fields }: AgentRow, changes?: SecretChanges): AgentAt {
  const agent: Agent = { ...fields, api_key: clear(changes?.api_key) ?? api_key_mask }
  const token = clear(changes?.github_token)
  if (token !== undefined) agent.white_box_config = { ...agent.white_box_config, github_token: token }
  return { agent, revision }
}

function clear(change: SecretChange | undefined): string | undefined {
  return change?.action === 'set' ? change.secret : undefined
}
