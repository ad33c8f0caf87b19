/** Notices when nothing moves any more. */
export interface IdleWatch {
  /** Something moved. */
  touch: () => void
  stop: () => void
}

/** `onIdle` answers whether to go on watching: standing still may have its reasons. */
export function createIdleWatch(idleMs: number, onIdle: () => boolean): IdleWatch {
  const timer = setTimeout(() => {
    if (onIdle()) timer.refresh()
  }, idleMs)
  return { touch: () => void timer.refresh(), stop: () => clearTimeout(timer) }
}
