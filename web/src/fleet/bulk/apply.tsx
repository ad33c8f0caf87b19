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
export function Apply(props: ApplyProps): ReactElement {
  const { kind, value, count, loaded, onApply } = props
  const { verb, values } = KINDS[kind]
  const agents = plural(count, 'agent')
  const label = value === undefined || kind === 'archive' ? '' : ` to ${words(values, value)}`
  return (
    <Button variant="primary" size="lg" off={offReason(props)} reason="beside" onClick={onApply}>
      {loaded ? `${verb} ${agents}${label}` : verb}
    </Button>
  )
}

function offReason({ kind, value, count, busy, loaded }: ApplyProps): string | false {
  if (value === undefined) return kind === 'stage' ? 'Choose a stage first' : 'Choose a value first'
  if (!loaded) return 'The preview comes first'
  return count === 0 ? 'No agent would change' : busy && 'The request is running'
}
