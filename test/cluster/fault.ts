/** Something that goes wrong while clients write. */
export interface Fault {
  name: string
  /** How often it is inflicted. */
  times: number
  /** How many faults that makes. Default: `times`. */
  count?: number
  /** Resolves when its cause is over: what was killed runs again, what was cut is joined. `n` counts from 0. */
  inflict: (n: number) => Promise<void>
}
