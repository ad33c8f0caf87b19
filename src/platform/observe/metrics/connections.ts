import { type Factory, onScrape } from './factory.ts'

/** `stalled`: the client took no byte for too long. `memory`: unsent responses took too much memory. */
export type CutOffCause = 'stalled' | 'memory'

export interface ConnectionMetrics {
  /** Reads both figures at each scrape. */
  observe: (figures: { open: () => number; unsentBytes: () => number }) => void
  countRefused: () => void
  countCutOff: (cause: CutOffCause) => void
}

export function createConnectionMetrics(create: Factory): ConnectionMetrics {
  const open = create.gauge('console_connections', 'Open connections of clients')
  const unsent = create.gauge(
    'console_responses_unsent_bytes',
    'Bytes of responses in memory that clients have not read yet',
  )
  const refused = create.counter(
    'console_connections_refused_total',
    'Connections that were refused, or closed to accept another, because MAX_CONNECTIONS were open',
  )
  const cutOff = create.counter(
    'console_responses_cut_off_total',
    'Responses that were cut off because the client did not read, by cause',
    ['cause'],
  )
  return {
    observe: (figures) => {
      onScrape(open, () => open.set(figures.open()))
      onScrape(unsent, () => unsent.set(figures.unsentBytes()))
    },
    countRefused: () => refused.inc(),
    countCutOff: (cause) => cutOff.inc({ cause }),
  }
}
