import { exportLines } from './export-lines.ts'
import type { CallOptions } from './options.ts'
import { pages } from './pages.ts'
import { Resource } from './resource.ts'
import type { AuditEvent, AuditEventPage, Query } from './types.ts'

const AUDIT = '/v1/audit-events'

/** The audit log of the team. */
export class Audit extends Resource {
  /** A page of the audit log, newest first. */
  async list(query: Query<'listAuditEvents'> = {}, options: CallOptions = {}): Promise<AuditEventPage> {
    return (await this.request('GET', AUDIT, { ...options, query })).data
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
  export(
    query: Query<'exportAuditEvents'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<AuditEvent, void, undefined> {
    return exportLines(this.transport, `${AUDIT}/export`, query, 'after_id', options)
  }
}
