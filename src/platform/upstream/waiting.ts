/** Whoever waits for an answer, and may stop waiting. */
export interface Waiting {
  onGone: (leave: () => void) => void
}
