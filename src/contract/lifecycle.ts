import { type Static, Type } from 'typebox'
import { TRUST_STAGES } from './agent.ts'
import { nullable, oneOf } from './fields.ts'

/** Whoever is at one of these stages has earned trust. */
const TRUSTED_STAGES: readonly string[] = ['trusted', 'optimized', 'adapted']

export function isTrusted(stage: (typeof TRUST_STAGES)[number]): boolean {
  return TRUSTED_STAGES.includes(stage)
}

export const AgentLifecycle = Type.Object(
  {
    trust_stage: oneOf(TRUST_STAGES),
    reason: Type.Optional(
      nullable(Type.String({ maxLength: 2_000, description: 'Why; kept with the revision' })),
    ),
  },
  {
    $id: 'AgentLifecycle',
    description: 'The trust stage an agent moves to. Every move is allowed, back as well as forward.',
    examples: [{ trust_stage: 'trusted', reason: 'Passed the hardening campaign' }],
  },
)
export type AgentLifecycle = Static<typeof AgentLifecycle>
