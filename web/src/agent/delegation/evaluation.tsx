import type { ReactElement } from 'react'
import { Absent } from '../../shared/ui/badges.tsx'
import { EvaluationBadge } from '../../shared/ui/evaluation-badge.tsx'
import type { GraphNode } from './graph.ts'

/** Whether the evaluation of an agent on a path still holds. */
export function Evaluation({ value }: { value: GraphNode['evaluation'] }): ReactElement {
  if (value === undefined) return <Absent label="Not known" />
  if (value === 'none') return <span className="t2">Never evaluated</span>
  return <EvaluationBadge value={value} />
}
