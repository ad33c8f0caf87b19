import type { FastifyReply } from 'fastify'
import { toETag } from '../contract/etag.ts'
import type { AgentText } from './change-agent.ts'
import { ignoredFields } from './ignored-fields.ts'

export function sendAgent(reply: FastifyReply, { text, revision }: AgentText) {
  return sendJson(reply.header('etag', toETag(revision)), text)
}

/** PostgreSQL has written the text as the contract declares it. It is not parsed and written again. */
export function sendJson(reply: FastifyReply, text: string) {
  return reply.type('application/json; charset=utf-8').serializer(asIs).send(text)
}

const asIs = (text: unknown) => text as string

export function nameIgnored(reply: FastifyReply, body: object, schema: { properties: object }): void {
  const names = ignoredFields(body, schema)
  if (names !== undefined) reply.header('console-ignored-fields', names)
}
