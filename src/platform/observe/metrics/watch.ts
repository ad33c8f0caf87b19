import type { Factory } from './factory.ts'

export interface WatchMetrics {
  /** Returns the function to call when the subscriber disconnects. */
  addSubscriber: () => (wasCutOff: boolean) => void
  /** Takes the limit that was reached: of the user, the team or the process. */
  countRefusal: (limit: string) => void
}

export function createWatchMetrics(create: Factory): WatchMetrics {
  const subscribers = create.gauge('console_watch_subscribers', 'Clients connected to the event stream')
  const cutOff = create.counter(
    'console_watch_subscribers_cut_off_total',
    'Clients of the event stream that were disconnected because they did not read',
  )
  const refusals = create.counter(
    'console_watch_refusals_total',
    'Requests to watch that were refused, by the limit that was reached: user, team or process',
    ['limit'],
  )
  return {
    countRefusal: (limit) => refusals.inc({ limit }),
    addSubscriber: () => {
      subscribers.inc()
      return (wasCutOff) => {
        subscribers.dec()
        if (wasCutOff) cutOff.inc()
      }
    },
  }
}
