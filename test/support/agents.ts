import assert from 'node:assert/strict'
import type { Agent } from '../../src/agent/schema.ts'
import type { Person, Reply, RequestOptions, TestConsole } from './console.ts'

export const COLLECTION = '/v1/agent-configurations'

/** Creates an agent for a person and answers it as the creation did. */
export async function createAgent(running: TestConsole, person: Person, fields: object = {}): Promise<Agent> {
  const reply = await running.request<Agent>('POST', COLLECTION, {
    token: person.token,
    json: { agent_name: 'Agent', model_name: 'model', ...fields },
  })
  assert.equal(reply.status, 201, reply.text)
  return reply.body
}

/** The code of an error. */
export function codeOf({ text }: Reply): string | undefined {
  return (JSON.parse(text) as { code?: string }).code
}

export function getAgent(
  running: TestConsole,
  person: Person,
  id: string,
  options: RequestOptions = {},
): Promise<Reply<Agent>> {
  return running.request('GET', `${COLLECTION}/${id}`, { token: person.token, ...options })
}

export function putAgent(
  running: TestConsole,
  person: Person,
  id: string,
  json: unknown,
  headers: Record<string, string> = {},
): Promise<Reply<Agent>> {
  return running.request('PUT', `${COLLECTION}/${id}`, { token: person.token, json, headers })
}
