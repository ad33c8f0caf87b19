import { type Factory, onScrape } from './factory.ts'

/** The list of revoked tokens and users. */
export interface ObservedRevocations {
  state: () => string
  size: () => number
}

export function observeRevocations(create: Factory, { state, size }: ObservedRevocations): void {
  const up = create.gauge('console_revocations_up', '1 if the last read of the list of revocations succeeded')
  const entries = create.gauge('console_revocations', 'Revoked tokens and users in the list that is in use')
  // NaN before the first read.
  onScrape(up, () => up.set({ up: 1, down: 0 }[state()] ?? Number.NaN))
  onScrape(entries, () => entries.set(size()))
}
