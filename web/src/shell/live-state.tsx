import type { ReactElement } from 'react'
import { useLive } from '../live/state.ts'
import { formatClock } from '../shared/time.ts'
import { StateGlyph } from '../shared/ui/badges.tsx'
import { RelativeTime } from '../shared/ui/relative-time.tsx'

export function LiveState(): ReactElement {
  const live = useLive()
  if (live.state === 'live') {
    return (
      <div className="live">
        <span className="pulse" />
        <span>
          <span className="b5">Live</span>
          {live.lastChange === undefined ? null : (
            <span className="t3">
              {' '}
              · last change <RelativeTime at={live.lastChange} />
            </span>
          )}
        </span>
      </div>
    )
  }
  const word = { connecting: 'Connecting', paused: 'Paused', down: 'Not live' }[live.state]
  return (
    <div className="live" role="status">
      <StateGlyph value={live.state === 'connecting' ? 'starting' : 'half'} />
      <span>
        <span className="b5">{word}</span>
        {live.since === undefined ? null : <span className="t3"> · since {formatClock(live.since)}</span>}
      </span>
    </div>
  )
}
