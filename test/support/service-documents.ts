import type { Service } from '../../src/config/services-file.ts'
import { type PreparedParts, prepareParts } from '../../src/features/services/document/combine.ts'

/** A service as the services file would declare it. */
export function service(changes: Partial<Service> = {}): Service {
  return {
    name: 'teams',
    tag: 'Teams',
    url: 'http://127.0.0.1:1',
    documentUrl: 'http://127.0.0.1:1/openapi.json',
    prefixes: ['/v1/teams'],
    token: 'pass',
    audience: 'teams',
    readPermission: undefined,
    writePermission: undefined,
    budgetPriority: 'interactive',
    deadlineMs: 1_000,
    maxInFlight: 256,
    maxRequestBytes: Number.POSITIVE_INFINITY,
    maxResponseBytes: Number.POSITIVE_INFINITY,
    pollMs: 1_000,
    ...changes,
  }
}

/** An operation that returns 200 with a schema. */
export function returning(schema: object, more: object = {}) {
  return {
    summary: 'An operation',
    responses: { 200: { description: 'Fine', content: { 'application/json': { schema } } } },
    ...more,
  }
}

export function sending(schema: object, more: object = {}) {
  return returning({}, { requestBody: { content: { 'application/json': { schema } } }, ...more })
}

export function document(paths: object, schemas: object = {}, more: object = {}) {
  return {
    openapi: '3.1.0',
    info: { title: 'A service', version: '1.0.0' },
    paths,
    components: { schemas },
    ...more,
  }
}

export const bytesOf = (content: object | string) =>
  new TextEncoder().encode(typeof content === 'string' ? content : JSON.stringify(content))

/** The stages that a document goes through by itself. */
export const prepared = (content: object | string, changes: Partial<Service> = {}): PreparedParts =>
  prepareParts(service(changes), bytesOf(content), ['schemas/Agent', 'schemas/AgentUpdate'])

export const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })
