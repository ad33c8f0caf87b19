import { lines } from './client/lines.ts'
import type { Transport } from './client/transport.ts'
import type { CallOptions } from './options.ts'
import { resume } from './resume.ts'

const SILENCE_MS = 60_000

/** The objects of an export. The id of the last one is where it continues after an interruption. */
export function exportLines<T extends { id: string }>(
  transport: Transport,
  template: string,
  query: object,
  positionName: string,
  options: CallOptions,
): AsyncGenerator<T, void, undefined> {
  let position = {}
  async function* open(): AsyncGenerator<T, void, undefined> {
    const outgoing = { method: 'GET', template, query: { ...query, ...position }, repeatable: false }
    for await (const line of lines(transport, outgoing, { ...options, silenceMs: SILENCE_MS })) {
      const item = JSON.parse(line) as T
      position = { [positionName]: item.id }
      yield item
    }
  }
  const maxRetries = transport.maxRetries(options)
  return resume(transport, open, { ...options, maxRetries, endsWithResponse: true })
}
