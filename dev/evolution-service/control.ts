import { type Answer, refusal } from './answer.ts'
import type { Misbehaviour } from './misbehaviour.ts'
import type { ReceivedRequest } from './received.ts'

/** Development only: whoever reaches this path can break the service. There is no token to it, because it
 * has to work while the issuer does not. */
const PATH = '/_misbehave'

export const isControl = (method: string, target: string): boolean => method === 'PUT' && target === PATH

/** `{"mode": …, …options}`, or `{"mode": null}` to behave again. */
export function control(misbehaviour: Misbehaviour, { body }: ReceivedRequest): Answer {
  try {
    const { mode, ...options } = JSON.parse(body.toString()) as { mode: string | null; times?: number }
    // No connection, no way back: it has to end by itself.
    if (mode === 'reset_on_connect' && !options.times) throw new RangeError('reset_on_connect needs times')
    misbehaviour.set(mode, options)
    return { status: 204, headers: {}, body: Buffer.alloc(0) }
  } catch (error) {
    return refusal(400, (error as Error).message)
  }
}
