import { type Static, Type } from 'typebox'
import { TRUST_STAGES } from './agent.ts'
import { DryRunQuery } from './dry-run.ts'
import { AGENT_LIFECYCLE_EXAMPLE } from './examples.ts'
import { nullable, oneOf } from './fields.ts'

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
