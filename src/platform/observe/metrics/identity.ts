import type { Factory } from './factory.ts'

/** NaN before the first read. */
const valueOf = (state: string) => ({ up: 1, down: 0 })[state] ?? Number.NaN

/** Whether its keys could be read, as a state of health. */
export function observeIssuer(create: Factory, state: () => string): void {
  const help = '1 if the last read of the keys of the issuer succeeded'
  create.observed('console_issuer_up', help, () => valueOf(state()))
}

/** The list of revoked tokens and users. */
export interface ObservedRevocations {
  state: () => string
  size: () => number
}

export function observeRevocations(create: Factory, { state, size }: ObservedRevocations): void {
  const help = '1 if the last read of the list of revocations succeeded'
  create.observed('console_revocations_up', help, () => valueOf(state()))
  create.observed('console_revocations', 'Revoked tokens and users in the list that is in use', size)
}
