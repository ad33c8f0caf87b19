import { lines } from './client/lines.ts'
import type { Transport } from './client/transport.ts'
import type { CallOptions } from './options.ts'
import { pages } from './pages.ts'
import { resume } from './resume.ts'
import type { paths } from './schema.ts'
import { type TypedRequest, typedRequest } from './typed-request.ts'
import type { AuditEvent, AuditEventPage, Query } from './types.ts'

const AUDIT = '/v1/audit-events'
const EXPORT_SILENCE_MS = 60_000

/** The audit log of the team. */
export class Audit {
  readonly #transport: Transport
  readonly #request: TypedRequest<paths>

  constructor(transport: Transport) {
    this.#transport = transport
    this.#request = typedRequest(transport)
  }

  /** A page of the audit log, newest first. */
  async list(query: Query<'listAuditEvents'> = {}, options: CallOptions = {}): Promise<AuditEventPage> {
    return (await this.#request('GET', AUDIT, { ...options, query })).data
  }

  /** All events that match, newest first. */
  async *iterate(
    query: Query<'listAuditEvents'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<AuditEvent, void, undefined> {
    const load = (cursor: string | undefined) =>
      this.list(cursor === undefined ? query : { ...query, cursor }, options)
    for await (const { results } of pages(query.cursor, load)) yield* results
  }

  /** All events that match, oldest first. It continues after an interruption. */
  async *export(
    query: Query<'exportAuditEvents'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<AuditEvent, void, undefined> {
    const transport = this.#transport
    let afterId = query.after_id
    async function* open(): AsyncGenerator<AuditEvent, void, undefined> {
      const template = `${AUDIT}/export`
      const outgoing = { method: 'GET', template, query: { ...query, after_id: afterId }, repeatable: false }
      for await (const line of lines(transport, outgoing, { ...options, silenceMs: EXPORT_SILENCE_MS })) {
        const event = JSON.parse(line) as AuditEvent
        afterId = event.id
        yield event
      }
    }
    const maxRetries = transport.maxRetries(options)
    yield* resume(transport, open, { ...options, maxRetries, endsWithResponse: true })
  }
}
