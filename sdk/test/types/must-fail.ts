/** Every line after `@ts-expect-error` must not compile: the compiler reports an expectation that is not met. */
import { ApiError, Console, isDescribedSkill, NotFound, type paths } from '../../src/index.ts'

declare const client: Console
declare const error: unknown
const id = '01940b5e-7f4c-7a3b-9c1d-2e3f4a5b6c7d'

export async function options(): Promise<void> {
  // @ts-expect-error -- a token is needed
  await new Console({ baseUrl: 'https://example.com' }).me()
  // @ts-expect-error -- misspelt option
  await new Console({ baseUrl: 'https://example.com', token: 't', timeout: 1 }).me()
  // @ts-expect-error -- an abort signal, not its controller
  await client.me({ signal: new AbortController() })
}

export async function bodies(): Promise<void> {
  // @ts-expect-error -- model_name is required
  await client.agents.create({ agent_name: 'a' })
  // @ts-expect-error -- misspelt field
  await client.agents.update(id, { agent_nam: 'a' })
  // @ts-expect-error -- no such status
  await client.agents.update(id, { status: 'sleeping' })
  // @ts-expect-error -- the trust stage moves by moveStage
  await client.agents.update(id, { trust_stage: 'trusted' })
  // @ts-expect-error -- no such stage
  await client.agents.moveStage(id, 'perfect')
  // @ts-expect-error -- secrets are redacted elsewhere
  await client.agents.redact(id, 1, ['api_key'])
  // @ts-expect-error -- a revision is a number
  await client.agents.update(id, {}, { ifRevision: '"7"' })
  // @ts-expect-error -- an edit is always conditional
  await client.agents.edit(id, () => ({}), { ifRevision: 7 })
  // @ts-expect-error -- a creation has no revision to compare
  await client.agents.create({ agent_name: 'a', model_name: 'm' }, { ifRevision: 7 })
}

export async function queries(): Promise<void> {
  // @ts-expect-error -- misspelt filter
  await client.agents.list({ status: ['active'] })
  // @ts-expect-error -- no such sort order
  await client.agents.list({ sort: 'updated_at' })
  // @ts-expect-error -- no such field
  await client.agents.list({ fields: ['name'] })
  // @ts-expect-error -- the other agent is required
  await client.agents.compare(id, {})
  const { results } = await client.agents.list({ fields: ['agent_name'] })
  // @ts-expect-error -- not among the fields that were asked for
  results[0]?.model_name.trim()
}

export async function results(): Promise<void> {
  const { agent } = await client.agents.get(id)
  // @ts-expect-error -- may be null
  agent.purpose.trim()
  // @ts-expect-error -- present only with include_scores
  agent.latest_evaluation.overall_score?.toFixed()
  for (const skill of agent.skills) {
    // @ts-expect-error -- unknown until it is narrowed
    skill.name?.trim()
    if (isDescribedSkill(skill)) skill.name.trim()
  }
  for await (const { data } of client.agents.watch()) {
    // @ts-expect-error -- no such event
    if (data.type === 'console.agent.renamed') return
  }
}

export function errors(): void {
  if (error instanceof ApiError) {
    // @ts-expect-error -- misspelt code
    if (error.code === 'agent_notfound') return
    // @ts-expect-error -- only ValidationFailed has faults
    if (error.faults) return
  }
  // @ts-expect-error -- the status cannot be changed
  if (error instanceof NotFound) error.status = 200
}

interface Mounted extends paths {
  '/v1/evaluations/{evaluation_id}': {
    get: {
      parameters: { path: { evaluation_id: string }; query?: { verbose?: boolean }; header?: never }
      requestBody?: never
      responses: { 200: { content: { 'application/json': { state: 'running' | 'completed' } } } }
    }
    put?: never
  }
}

export async function requests(company: Console<Mounted>): Promise<void> {
  const path = { evaluation_id: id }
  const { data } = await company.request('GET', '/v1/evaluations/{evaluation_id}', { path })
  // @ts-expect-error -- no such state
  if (data.state === 'done') return
  // @ts-expect-error -- no such method on the path
  await company.request('PUT', '/v1/evaluations/{evaluation_id}', { path })
  // @ts-expect-error -- the path parameter is missing
  await company.request('GET', '/v1/evaluations/{evaluation_id}')
  // @ts-expect-error -- misspelt query parameter
  await company.request('GET', '/v1/evaluations/{evaluation_id}', { path, query: { verbos: true } })
  // @ts-expect-error -- the operation has no body
  await company.request('GET', '/v1/evaluations/{evaluation_id}', { path, body: {} })
  // @ts-expect-error -- not a path of the console alone
  await client.request('GET', '/v1/evaluations/{evaluation_id}', { path })
  // @ts-expect-error -- a body is required
  await client.request('POST', '/v1/agent-configurations', {})
  await client.request('GET', '/v1/me')
}
