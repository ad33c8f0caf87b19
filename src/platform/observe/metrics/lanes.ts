import type { QueueRefusal } from '../../fairness/fair-queue.ts'
import type { Lanes } from '../../fairness/lanes.ts'
import { type Factory, onScrape } from './factory.ts'

export interface LaneMetrics {
  observeWait: (lane: keyof Lanes, seconds: number) => void
  countRefusal: (lane: keyof Lanes, cause: QueueRefusal) => void
}

/** Without a label for the team: there may be 100,000 teams. */
export function createLaneMetrics(create: Factory, lanes: Lanes): LaneMetrics {
  const waits = create.histogram(
    'console_place_wait_seconds',
    'Time that a request waited to begin (lane intake) or for a place at the database, by lane',
    ['lane'],
  )
  const refusals = create.counter(
    'console_refusals_total',
    'Requests that were refused before they began (lane intake) or got no place at the database, by lane and cause',
    ['lane', 'cause'],
  )
  const inUse = create.gauge('console_places_in_use', 'Places in use, by lane', ['lane'])
  const waiting = create.gauge(
    'console_places_waiting',
    'Requests that wait to begin (lane intake) or for a place at the database, by lane',
    ['lane'],
  )
  onScrape(inUse, () => {
    for (const [lane, queue] of Object.entries(lanes)) inUse.set({ lane }, queue.count().running)
  })
  onScrape(waiting, () => {
    for (const [lane, queue] of Object.entries(lanes)) waiting.set({ lane }, queue.count().waiting)
  })
  const holds = create.counter(
    'console_headroom_waits_total',
    'How often a team that dominates a busy replica had to wait for a place at the database, by lane',
    ['lane'],
  )
  onScrape(holds, () => {
    holds.reset()
    for (const [lane, queue] of Object.entries(lanes)) holds.inc({ lane }, queue.holds())
  })
  return {
    observeWait: (lane, seconds) => waits.observe({ lane }, seconds),
    countRefusal: (lane, cause) => refusals.inc({ lane, cause }),
  }
}
