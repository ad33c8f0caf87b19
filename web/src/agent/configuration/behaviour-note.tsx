import type { AgentResult } from '@agent-console/sdk'
import type { ReactElement } from 'react'
import { formatScore } from '../../shared/numbers.ts'
import { BehaviourMark } from '../../shared/ui/badges.tsx'
import { bearsOnBehaviour } from '../fields/table.ts'
import type { Change } from '../fields/update.ts'

const NUMBERS = ['None', 'One', 'Two', 'Three', 'Four', 'Five', 'Six']

/** What the changes mean for the last evaluation. */
export function BehaviourNote({
  result,
  changes,
}: {
  result: AgentResult
  changes: readonly Change[]
}): ReactElement | null {
  const count = changes.filter(({ path }) => bearsOnBehaviour(path)).length
  if (count === 0) return null
  const said = NUMBERS[count] ?? String(count)
  const whole = count === changes.length && count === 1
  return (
    <p className="sm row top">
      <BehaviourMark />
      <span className="t2">
        {whole ? 'This change bears' : `${said} of these ${count === 1 ? 'bears' : 'bear'}`} on behaviour.{' '}
        {sayEvaluation(result)}
      </span>
    </p>
  )
}

function sayEvaluation({ agent }: AgentResult): string {
  const evaluation = agent.latest_evaluation
  if (evaluation === null || evaluation === undefined) return 'The agent has no evaluation yet.'
  const score = evaluation.overall_score ?? null
  const which = `The evaluation of r${evaluation.revision ?? '?'}${score === null ? '' : ` (${formatScore(score)})`}`
  return evaluation.current === false
    ? `${which} is already outdated and stays so until the next run.`
    : `${which} will no longer hold.`
}
