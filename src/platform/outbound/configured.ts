import { Agent } from 'undici'
import { type Received, redirectOf, type SendOptions, send } from './send.ts'

export interface ConfiguredOptions extends Omit<SendOptions, 'dispatcher' | 'signal'> {
  timeoutMs: number
  signal?: AbortSignal
}

const connections = new Agent({ allowH2: false })

/** A request to a URL that the operator has configured, so that every address is allowed. A redirect is an error: it leads to a
 * URL that the operator has not named. */
export async function sendToConfigured(
  url: string,
  { timeoutMs, signal, ...options }: ConfiguredOptions,
): Promise<Received> {
  const deadline = AbortSignal.timeout(timeoutMs)
  const ends = signal ? AbortSignal.any([signal, deadline]) : deadline
  const received = await send(url, { ...options, dispatcher: connections, signal: ends })
  if (redirectOf(received) !== null) throw new Error(`${url} redirects to another URL`)
  return received
}
