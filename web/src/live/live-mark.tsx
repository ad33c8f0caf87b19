import type { ReactElement } from 'react'
import { PHONE, useMedia } from '../shared/media.ts'
import { StateGlyph } from '../shared/ui/badges.tsx'
import styles from './live.module.css'
import { type Live, useLive } from './state.ts'

export const LIVE_WORDS = { connecting: 'Connecting', live: 'Live', paused: 'Paused', down: 'Not live' }

export function LiveMark({ state }: Pick<Live, 'state'>): ReactElement {
  if (state === 'live') return <span className={styles.pulse} />
  return <StateGlyph value={state === 'connecting' ? 'starting' : 'half'} />
}

interface PhoneLiveStateProps {
  /** Of a page that does not follow the stream of events. */
  of?: Live['state']
}

/** For the header of a page that follows changes: a phone has no room for the navigation that shows it elsewhere. */
export function PhoneLiveState({ of }: PhoneLiveStateProps): ReactElement | null {
  const stream = useLive()
  const state = of ?? stream.state
  const phone = useMedia(PHONE)
  if (!phone) return null
  const word = LIVE_WORDS[state]
  const isExpected = state === 'live' || state === 'connecting'
  return (
    <span className={styles.live} title={word}>
      <LiveMark state={state} />
      <span className={isExpected ? 'hid' : 'b5'}>{word}</span>
    </span>
  )
}
