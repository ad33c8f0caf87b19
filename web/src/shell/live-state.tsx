import type { ReactElement } from 'react'
import liveStyles from '../live/live.module.css'
import { LIVE_WORDS, LiveMark } from '../live/live-mark.tsx'
import { type Live, useLive } from '../live/state.ts'
import { pauseLive, resumeLive } from '../live/tabs.ts'
import { formatClock, plural } from '../shared/format.ts'
import { IconButton } from '../shared/ui/button.tsx'
import { join } from '../shared/ui/class-names.ts'
import { RelativeTime } from '../shared/ui/relative-time.tsx'
import styles from './shell.module.css'

/** Whether what is shown follows the changes of others, and a way to make it stand still. */
export function LiveState(): ReactElement {
  const live = useLive()
  return (
    <div className={join(liveStyles.live, styles.liveState)}>
      <LiveMark state={live.state} />
      <span className={styles.liveText}>
        <span className="b5">{LIVE_WORDS[live.state]}</span> <LiveDetail live={live} />
      </span>
      {live.state === 'live' ? (
        <IconButton
          icon="pause"
          label="Pause live updates"
          className={styles.liveButton}
          onClick={pauseLive}
        />
      ) : null}
      {live.state === 'paused' ? (
        <IconButton
          icon="play"
          label="Resume live updates"
          className={styles.liveButton}
          onClick={resumeLive}
        />
      ) : null}
    </div>
  )
}

function LiveDetail({ live }: { live: Live }): ReactElement | null {
  if (live.state === 'paused' && (live.waiting ?? 0) > 0) {
    return <span className="t3">· {plural(live.waiting ?? 0, 'change')} waiting</span>
  }
  if (live.state === 'live') {
    if (live.lastChange === undefined) return null
    return (
      <span className="t3">
        · last change <RelativeTime at={live.lastChange} />
      </span>
    )
  }
  return live.since === undefined ? null : <span className="t3">· since {formatClock(live.since)}</span>
}
