import type { TurnMetrics } from '../../limits/turns.ts'
import { type Factory, onScrape } from './factory.ts'

/** Without a label for the team: there may be 100,000 teams. */
export function createTurnMetrics(create: Factory): (of: string) => TurnMetrics {
  const waits = create.histogram(
    'console_place_wait_seconds',
    'Time that work waited for its turn, by what the place is for: requests or searches at the database, or an upstream',
    ['of'],
  )
  const refusals = create.counter(
    'console_refusals_total',
    'Work that got no place, by what the place is for and cause',
    ['of', 'cause'],
  )
  const taken = create.gauge('console_places_in_use', 'Places that are taken, by what they are for', ['of'])
  const waiting = create.gauge('console_places_waiting', 'Work that waits for a place, by what it is for', [
    'of',
  ])
  const sources = new Map<string, () => { taken: number; waiting: number }>()
  onScrape(taken, () => {
    for (const [of, counts] of sources) taken.set({ of }, counts().taken)
  })
  onScrape(waiting, () => {
    for (const [of, counts] of sources) waiting.set({ of }, counts().waiting)
  })
  return (of) => ({
    observeWait: (seconds) => waits.observe({ of }, seconds),
    countRefusal: (cause) => refusals.inc({ of, cause }),
    observeCounts: (counts) => void sources.set(of, counts),
  })
}
