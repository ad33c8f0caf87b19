import { DevError } from './dev-error.ts'

/** How everything that was started is ended, from a signal at any moment of the start. */
export interface Lifetime {
  /** Call it directly before starting something: throws once the end has begun. */
  check: () => void
  /** Registers what ends a thing. Call it in the same tick as the start of the thing, so that no signal comes between. */
  onEnd: (order: keyof typeof ORDER, end: End) => void
  /** Aborted once the end has begun. */
  readonly ending: AbortSignal
  /** Ends everything: what uses the servers, then the servers, then what belongs to this process. */
  end: () => Promise<void>
  /** From now on nothing is asked to end: it is killed. */
  hurry: () => void
}

/** Things of the same order end at the same time. */
const ORDER = { client: 0, server: 1, self: 2 }

/** Ends one thing. `hurry` is aborted when it must be killed instead of asked. */
export type End = (hurry: AbortSignal) => Promise<void>

/** How long a process may take after it was asked to end. */
const PATIENCE_MS = 8_000

export function createLifetime(): Lifetime {
  const ending = new AbortController()
  const hurry = new AbortController()
  const ends: [order: number, end: End][] = []

  return {
    ending: ending.signal,
    check: () => {
      if (ending.signal.aborted) throw new DevError('Interrupted')
    },
    onEnd: (order, end) => void ends.push([ORDER[order], end]),
    hurry: () => hurry.abort(),
    end: async () => {
      ending.abort()
      const patience = setTimeout(() => hurry.abort(), PATIENCE_MS)
      for (const current of Object.values(ORDER)) {
        await Promise.allSettled(
          ends.filter(([order]) => order === current).map(([, end]) => end(hurry.signal)),
        )
      }
      clearTimeout(patience)
    },
  }
}
