import type { FastifyReply } from 'fastify'
import { toETag } from '../contract/etag.ts'
import { headerList, ignoredFields } from '../platform/header-list.ts'
import type { AgentText } from './change-agent.ts'

export function sendAgent(reply: FastifyReply, { text, revision, credentialWarnings = [] }: AgentText) {
  const warnings = headerList(credentialWarnings)
  if (warnings !== undefined) reply.header('console-credential-warnings', warnings)
  return sendJson(reply.header('etag', toETag(revision)), text)
}

/** Sends what is already JSON, without serialising it. */
export function sendJson(reply: FastifyReply, json: string | Buffer) {
  return reply.type('application/json; charset=utf-8').serializer(asIs).send(json)
}

const asIs = (text: unknown) => text as string

export function setIgnoredFieldsHeader(
  reply: FastifyReply,
  body: object,
  schema: { properties: object },
): void {
  const names = ignoredFields(body, schema)
  if (names !== undefined) reply.header('console-ignored-fields', names)
}
