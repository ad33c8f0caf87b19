import { type Factory, onScrape } from './factory.ts'

/** NaN before the first read. */
const valueOf = (state: string) => ({ up: 1, down: 0 })[state] ?? Number.NaN

export function observeIssuer(create: Factory, state: () => string): void {
  const up = create.gauge('console_issuer_up', '1 if the last read of the keys of the issuer succeeded')
  onScrape(up, () => up.set(valueOf(state())))
}

/** The list of revoked tokens and users. */
export interface ObservedRevocations {
  state: () => string
  size: () => number
}

export function observeRevocations(create: Factory, { state, size }: ObservedRevocations): void {
  const up = create.gauge('console_revocations_up', '1 if the last read of the list of revocations succeeded')
  const entries = create.gauge('console_revocations', 'Revoked tokens and users in the list that is in use')
  onScrape(up, () => up.set(valueOf(state())))
  onScrape(entries, () => entries.set(size()))
}
