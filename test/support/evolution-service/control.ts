import { type Answer, NO_CONTENT, refusal } from '../../../dev/services/answer.ts'
import type { ReceivedRequest } from '../../../dev/services/received.ts'
import type { Misbehaviour } from './misbehaviour.ts'

/** For development only: it needs no token, so that it works while the issuer is down. */
const PATH = '/_misbehave'

export const isControl = (method: string, target: string): boolean => method === 'PUT' && target === PATH

/** Body: `{"mode": …, …options}`, or `{"mode": null}` to turn faults off. */
export function control(misbehaviour: Misbehaviour, { body }: ReceivedRequest): Answer {
  try {
    const { mode, ...options } = JSON.parse(body.toString()) as { mode: string | null; times?: number }
    // While every connection is reset, no request could turn it off.
    if (mode === 'reset_on_connect' && !options.times) throw new RangeError('reset_on_connect needs times')
    misbehaviour.set(mode, options)
    return NO_CONTENT
  } catch (error) {
    return refusal(400, (error as Error).message)
  }
}
