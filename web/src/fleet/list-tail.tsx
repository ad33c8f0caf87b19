import type { ReactElement } from 'react'
import { Button } from '../shared/ui/button.tsx'
import { Icon } from '../shared/ui/icon.tsx'
import type { Failure } from '../shared/ui/states.tsx'

export interface TailProps {
  /** There is a next page. */
  hasMore: boolean
  /** It is being loaded. */
  busy: boolean
  failure: Failure | undefined
  onMore: () => void
}

/** Below the last row that is loaded: the next page is on its way, or it could not be loaded. */
export function ListTail({ failure, onMore }: Pick<TailProps, 'failure' | 'onMore'>): ReactElement {
  if (failure === undefined) {
    return (
      <span className="row t3" role="status">
        Loading more agents
      </span>
    )
  }
  return (
    <span className="row" role="alert">
      <Icon name="alert" size="s" className="danger-t" />
      <span className="cut">
        More agents could not be loaded: {failure.detail} <span className="mono t3">{failure.code}</span>
        {failure.requestId === undefined ? null : <span className="mono t3"> · req {failure.requestId}</span>}
      </span>
      <Button icon="retry" onClick={onMore}>
        Try again
      </Button>
    </span>
  )
}
