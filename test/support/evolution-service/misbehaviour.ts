import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'

export const MODES = [
  'slow',
  'hang',
  'hang_half_way',
  'error_500',
  'error_503',
  'error_4xx',
  'redirect',
  'html',
  'array',
  'empty',
  'echo',
  'truncated_chunk',
  'wrong_length',
  'gigabyte',
  'gzip_bomb',
  'reset',
  'reset_on_connect',
  'garbage',
] as const
export type Mode = (typeof MODES)[number]

export const MisbehaviourOptions = Type.Object(
  {
    /** Only for the next so many requests (connections for `reset_on_connect`). All if absent. */
    times: Type.Optional(Type.Integer({ minimum: 1 })),
    /** The share of these requests that fails, evenly spread: 0.2 is every fifth. All if absent. */
    share: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    /** `slow`: 1,000 when absent. */
    delayMs: Type.Optional(Type.Integer({ minimum: 0 })),
    /** `error_4xx`: 400 when absent. */
    status: Type.Optional(Type.Integer({ minimum: 400, maximum: 499 })),
    /** `error_4xx`: beside, or in place of, its own. */
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    /** `wrong_length`: content-length minus sent bytes, 10 if absent. Negative: a surplus follows the body. */
    by: Type.Optional(Type.Integer()),
    /** `gigabyte`, `gzip_bomb`: the size of the JSON text, 1 GiB when absent. */
    bytes: Type.Optional(Type.Integer({ minimum: 64 })),
  },
  { additionalProperties: false },
)
export type MisbehaviourOptions = Static<typeof MisbehaviourOptions>

interface Active {
  mode: Mode
  options: MisbehaviourOptions
}

export interface Misbehaviour {
  /** Throws a RangeError for an unknown mode or option. Replaces the previous mode and resets its counts. */
  set: (mode: string | null, options?: unknown) => void
  /** The fault to inject. Call once for each request or connection. */
  next: (what: 'connection' | 'request') => Active | undefined
}

// Without it 0.29 * 100 is less than 29, and one request too few would fail.
const ROUNDING = 1e-9

export function createMisbehaviour(): Misbehaviour {
  let active: Active | undefined
  let seen = 0
  const isMode = (mode: string): mode is Mode => (MODES as readonly string[]).includes(mode)

  return {
    set(mode, options = {}) {
      if (mode !== null && !isMode(mode))
        throw new RangeError(`A mode is one of ${MODES.join(', ')}, or null`)
      if (!Value.Check(MisbehaviourOptions, options)) throw new RangeError(describeErrors(options))
      active = mode === null ? undefined : { mode, options }
      seen = 0
    },

    next(what) {
      if (!active || (active.mode === 'reset_on_connect') !== (what === 'connection')) return undefined
      const { times = Number.POSITIVE_INFINITY, share = 1 } = active.options
      if (seen >= times) return undefined
      seen += 1
      const due = (count: number) => Math.floor(count * share + ROUNDING)
      return due(seen) > due(seen - 1) ? active : undefined
    },
  }
}

function describeErrors(options: unknown): string {
  const errors = Value.Errors(MisbehaviourOptions, options)
  return errors.map(({ instancePath, message }) => `${instancePath} ${message}`.trim()).join('; ')
}
