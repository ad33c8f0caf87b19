/** Ends one try: after a time, or with the signal of the caller. */
export class Deadline {
  readonly signal: AbortSignal
  /** Whether the time is over, and not the caller has ended the try. */
  hasPassed = false
  readonly #controller = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(ms: number, caller: AbortSignal | undefined) {
    this.signal = caller ? AbortSignal.any([caller, this.#controller.signal]) : this.#controller.signal
    this.extend(ms)
  }

  /** Starts the time again. */
  extend(ms: number): void {
    this.pause()
    this.#timer = setTimeout(() => {
      this.hasPassed = !this.signal.aborted
      this.#controller.abort()
    }, ms)
  }

  pause(): void {
    clearTimeout(this.#timer)
  }

  /** Releases the timer and the connection. */
  end(): void {
    this.pause()
    this.#controller.abort()
  }
}
