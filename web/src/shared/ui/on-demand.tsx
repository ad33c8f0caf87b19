import { cloneElement, type ReactElement, useState } from 'react'

type Trigger = ReactElement<Record<string, unknown>>

interface OnDemand<Parts> {
  /** Fetches the code; a later call gets the same. */
  load: () => Promise<Parts>
  /** Throws before it is loaded. */
  parts: () => Parts
  /** The plain trigger until its first click, then undefined: the caller renders the real one, open at first. */
  useTrigger: (trigger: Trigger, popup: 'menu' | 'dialog') => Trigger | undefined
}

/** Code of menus and popovers is fetched when a pointer or the focus reaches the first trigger, not with the page. */
export function onDemand<Parts>(fetchParts: () => Promise<Parts>): OnDemand<Parts> {
  let loading: Promise<Parts> | undefined
  let loaded: Parts | undefined
  const load = (): Promise<Parts> => {
    loading ??= fetchParts().then((parts) => {
      loaded = parts
      return parts
    })
    return loading
  }
  return {
    load,
    parts: () => {
      if (loaded === undefined) throw new Error('not loaded yet')
      return loaded
    },
    useTrigger: (trigger, popup) => {
      const [used, setUsed] = useState(false)
      if (used) return undefined
      const preload = (): void => void load()
      return cloneElement(trigger, {
        'aria-haspopup': popup,
        'aria-expanded': false,
        onPointerEnter: preload,
        onFocus: preload,
        onClick: () => void load().then(() => setUsed(true)),
      })
    },
  }
}
