import { type Static, Type } from 'typebox'
import type { Caller } from '../../api/caller.ts'
import { nullable, oneOf } from '../../api/fields.ts'
import { DryRunQuery } from '../../api/operation.ts'
import { Problem, RequestValidationError } from '../../api/problem.ts'
import type { Core } from '../../core.ts'
import { containsCredential } from '../../platform/crypto/credentials.ts'
import {
  type Change,
  type ChangeConditions,
  type ChangedAgent,
  changeAgent,
  type StoredAgent,
} from '../change.ts'
import { isEarlierStage } from '../dependents.ts'
import { AGENT_LIFECYCLE_EXAMPLE, TRUST_STAGES } from '../schema.ts'

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

export async function changeTrustStage(
  core: Core,
  caller: Caller,
  id: string,
  lifecycle: AgentLifecycle,
  conditions: ChangeConditions,
): Promise<ChangedAgent> {
  refuseCredentialInReason(lifecycle)
  return changeAgent(core, { caller, id, ...conditions }, (stored) => decideTrustStage(stored, lifecycle))
}

/** Undefined if the agent is at the trust stage already. */
function decideTrustStage(
  { agent, changedAt, mustNotBreak }: StoredAgent,
  { trust_stage: trustStage, reason = null }: AgentLifecycle,
): Change | undefined {
  if (agent.trust_stage === trustStage) return undefined
  if (mustNotBreak && isEarlierStage(trustStage, agent.trust_stage)) throw new Problem('has_dependents')
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
