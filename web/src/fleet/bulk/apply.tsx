import type { ReactElement } from 'react'
import { plural } from '../../shared/numbers.ts'
import { Button } from '../../shared/ui/button.tsx'
import { words } from '../../shared/words.ts'
import { type BulkKind, KINDS } from './change.ts'

interface ApplyProps {
  kind: BulkKind
  value: string | undefined
  count: number
  busy: boolean
  /** The preview is there. */
  loaded: boolean
  onApply: () => void
}

/** The button that changes the agents; says how many. */
export function Apply({ kind, value, count, busy, loaded, onApply }: ApplyProps): ReactElement {
  const { verb, values } = KINDS[kind]
  const agents = plural(count, 'agent')
  const label = value === undefined || kind === 'archive' ? '' : ` to ${words(values, value)}`
  const off = !loaded
    ? 'The preview comes first'
    : count === 0
      ? 'No agent would change'
      : busy && 'The request is running'
  return (
    <Button variant="primary" size="lg" off={off} onClick={onApply}>
      {loaded ? `${verb} ${agents}${label}` : verb}
    </Button>
  )
}
