import type { FastifyReply } from 'fastify'
import { ignoredFields } from './ignored-fields.ts'
import { type AgentAt, echo } from './present.ts'
import { toETag } from './revision-tag.ts'

export function send(reply: FastifyReply, found: AgentAt) {
  return reply.header('etag', toETag(found.revision)).send(echo(found))
}

export function nameIgnored(reply: FastifyReply, body: object, schema: { properties: object }): void {
  const names = ignoredFields(body, schema)
  if (names !== undefined) reply.header('console-ignored-fields', names)
}
