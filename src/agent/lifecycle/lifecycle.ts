import { type Static, Type } from 'typebox'
import type { Caller } from '../../api/caller.ts'
import { nullable, oneOf } from '../../api/fields.ts'
import { DryRunQuery } from '../../api/operation.ts'
import { Problem, RequestValidationError } from '../../api/problem.ts'
import { containsCredential } from '../../platform/crypto/credentials.ts'
import type { Sessions } from '../../platform/postgres/database.ts'
import { auditOrigin } from '../audit-event.ts'
import {
  type AgentText,
  type Change,
  type ChangeConditions,
  type ChangedAgent,
  type ChangePlan,
  changeAgent,
  planChange,
  type StoredAgent,
} from '../change.ts'
import { type AgentDeletePlan, findImpact, isEarlierStage, mustRefuse } from '../dependents.ts'
import { findCurrentRevision } from '../history/past-agent.ts'
import { AGENT_LIFECYCLE_EXAMPLE, TRUST_STAGES } from '../schema.ts'
import { deleteAgent, recoverAgent } from './move.ts'

/** The first move to one of these stages sets `trusted_at` and `ttt_days`. */
const TRUSTED_STAGES: readonly string[] = ['trusted', 'optimized', 'adapted']

export function isTrusted(stage: (typeof TRUST_STAGES)[number]): boolean {
  return TRUSTED_STAGES.includes(stage)
}

export const AgentLifecycle = Type.Object(
  {
    trust_stage: oneOf(TRUST_STAGES, { description: 'The new trust stage.' }),
    reason: Type.Optional(
      nullable(
        Type.String({
          maxLength: 2_000,
          description:
            'Reason for the change, at most 2,000 characters. The revision and the event keep it. What looks like ' +
            'a credential gets 422. Default: the header `console-change-reason`.',
        }),
      ),
    ),
  },
  {
    $id: 'AgentLifecycle',
    description: 'A change of the trust stage. Any transition is allowed, including to an earlier stage.',
    examples: [AGENT_LIFECYCLE_EXAMPLE],
  },
)
export type AgentLifecycle = Static<typeof AgentLifecycle>

export const DeleteQuery = Type.Object({
  ...DryRunQuery.properties,
  erase: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'true: erase the agent as soon as possible. It cannot be recovered. Default: false.',
    }),
  ),
})

interface LifecycleDeps {
  sql: Sessions
  /** Milliseconds since the epoch. */
  now: () => number
  newId: () => string
  /** How long a deleted agent can be recovered. */
  recoverDays: number
}

const DAY_SECONDS = 86_400

interface DeletionRequest extends ChangeConditions {
  erase?: boolean | undefined
}

export type Lifecycle = ReturnType<typeof createLifecycle>

export function createLifecycle({ sql, now, newId, recoverDays }: LifecycleDeps) {
  const nowSeconds = () => Math.floor(now() / 1_000)
  const moveOf = (caller: Caller, id: string) => ({
    teamId: caller.teamId,
    id,
    reason: caller.reason ?? null,
    now: nowSeconds(),
    origin: auditOrigin(caller, newId()),
  })
  const eraseAt = (now: number, { erase = false }: DeletionRequest) =>
    erase ? now : now + recoverDays * DAY_SECONDS

  const prepareTrustStage = async (
    caller: Caller,
    id: string,
    lifecycle: AgentLifecycle,
    { expectedRevisions, refuseIfDependents, bulkId }: ChangeConditions,
  ) => {
    refuseCredentialInReason(lifecycle)
    const isRefused = await mustRefuse(sql.of(caller.teamId), caller.teamId, id, refuseIfDependents)
    return {
      request: { caller, id, expectedRevisions, now: nowSeconds(), auditId: newId(), bulkId },
      decide: (stored: StoredAgent) => decideTrustStage(stored, lifecycle, isRefused),
    }
  }

  /** Throws if a deletion would be refused. Returns the current revision. */
  const checkDeletion = async (
    { teamId }: Caller,
    id: string,
    { expectedRevisions, refuseIfDependents }: ChangeConditions,
  ): Promise<number> => {
    const revision = await findCurrentRevision(sql.of(teamId), teamId, id)
    if (revision === undefined) throw new Problem('agent_not_found')
    if (await mustRefuse(sql.of(teamId), teamId, id, refuseIfDependents)) throw new Problem('has_dependents')
    if (expectedRevisions && !expectedRevisions.includes(revision)) throw new Problem('revision_stale')
    return revision
  }

  return {
    checkDeletion,

    async changeTrustStage(
      caller: Caller,
      id: string,
      lifecycle: AgentLifecycle,
      conditions: ChangeConditions,
    ): Promise<ChangedAgent> {
      const { request, decide } = await prepareTrustStage(caller, id, lifecycle, conditions)
      return changeAgent(sql.of(caller.teamId), request, decide)
    },

    /** What a change of the trust stage would do now. */
    async planTrustStage(
      caller: Caller,
      id: string,
      lifecycle: AgentLifecycle,
      conditions: ChangeConditions,
    ): Promise<ChangePlan> {
      const { request, decide } = await prepareTrustStage(caller, id, lifecycle, conditions)
      return planChange(sql.of(caller.teamId), request, decide)
    },

    /** Hides the agent. A background task erases it later, or soon if `erase` is true. Returns the new revision. */
    async delete(caller: Caller, id: string, deletion: DeletionRequest): Promise<number> {
      const { erase = false, expectedRevisions, refuseIfDependents, bulkId } = deletion
      if (await mustRefuse(sql.of(caller.teamId), caller.teamId, id, refuseIfDependents))
        throw new Problem('has_dependents')
      const move = moveOf(caller, id)
      const outcome = await deleteAgent(sql.of(caller.teamId), {
        ...move,
        expectedRevisions,
        eraseAt: eraseAt(move.now, deletion),
        isErasing: erase,
        bulkId,
      })
      if (!outcome) throw new Problem('agent_not_found')
      if (outcome === 'stale') throw new Problem('revision_stale')
      return outcome
    },

    /** What a deletion would do now. */
    async planDeletion(caller: Caller, id: string, deletion: DeletionRequest): Promise<AgentDeletePlan> {
      const revision = await checkDeletion(caller, id, deletion)
      const [impact] = await findImpact(sql.of(caller.teamId), caller.teamId, [id])
      if (!impact) throw new Error('The impact of an agent is missing')
      return { revision, erase_at: eraseAt(nowSeconds(), deletion), impact }
    },

    async recover(caller: Caller, id: string): Promise<AgentText> {
      const recovered = await recoverAgent(sql.of(caller.teamId), moveOf(caller, id))
      if (!recovered) throw new Problem('agent_not_found')
      return recovered
    },
  }
}

/** Undefined if the agent is at the trust stage already. */
function decideTrustStage(
  { agent, changedAt }: StoredAgent,
  { trust_stage: trustStage, reason = null }: AgentLifecycle,
  isRefused: boolean,
): Change | undefined {
  if (agent.trust_stage === trustStage) return undefined
  if (isRefused && isEarlierStage(trustStage, agent.trust_stage)) throw new Problem('has_dependents')
  // Only the first change to a trusted stage sets `trusted_at` and `ttt_days`.
  const isFirstTrusted = isTrusted(trustStage) && agent.trusted_at === null
  const columns = {
    trust_stage: trustStage,
    ...(isFirstTrusted && { trusted_at: changedAt, ttt_days: toDays(changedAt - agent.created_at) }),
  }
  return {
    action: 'trust_stage_changed',
    reason,
    columns,
    fields: Object.keys(columns),
    before: {
      trust_stage: agent.trust_stage,
      ...(isFirstTrusted && { trusted_at: null, ttt_days: null }),
    },
  }
}

/** `place`: where the reason is in the body. */
export function refuseCredentialInReason({ reason }: AgentLifecycle, place: readonly string[] = []): void {
  if (reason == null || !containsCredential(reason)) return
  const msg = 'Value error, a reason must not contain a credential'
  throw new RequestValidationError([{ loc: ['body', ...place, 'reason'], msg, type: 'value_error' }])
}

/** Days with two decimals. */
function toDays(seconds: number): number {
  return Math.round(seconds / 864) / 100
}
