import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { COLLECTION } from './agents.ts'
import type { Person, RequestOptions, TestConsole } from './console.ts'

export type TryWithId = (id: string) => { path: string; options?: RequestOptions }

/** How operations that name something of a team are tried with an id that is not the caller's. One without a body
 * whose path has only the id of an agent needs no entry. HEAD is tried where GET is. */
export const OPERATIONS_BY_ID: Record<string, TryWithId> = {
  'PUT /v1/agent-configurations/:id': (id) => ({
    path: `/v1/agent-configurations/${id}`,
    options: { json: { agent_name: 'taken over', api_key: 'taken-over' } },
  }),
  'PUT /v1/agent-configurations/:id/secrets/:name': (id) => ({
    path: `/v1/agent-configurations/${id}/secrets/crm`,
    options: { json: { value: 'taken-over' } },
  }),
  'DELETE /v1/agent-configurations/:id/secrets/:name': (id) => ({
    path: `/v1/agent-configurations/${id}/secrets/crm`,
  }),
  'GET /v1/agent-configurations/:id/revisions/:revision': (id) => ({
    path: `/v1/agent-configurations/${id}/revisions/1`,
  }),
  'GET /v1/agent-configurations/:id/revisions/:revision/diff': (id) => ({
    path: `/v1/agent-configurations/${id}/revisions/1/diff`,
  }),
  'POST /v1/agent-configurations/:id/revisions/:revision/restore': (id) => ({
    path: `/v1/agent-configurations/${id}/revisions/1/restore`,
  }),
  'POST /v1/agent-configurations/:id/revisions/:revision/redact': (id) => ({
    path: `/v1/agent-configurations/${id}/revisions/1/redact`,
    options: { json: { fields: ['purpose'] } },
  }),
  'PUT /v1/agent-configurations/:id/lifecycle': (id) => ({
    path: `/v1/agent-configurations/${id}/lifecycle`,
    options: { json: { trust_stage: 'adapted' } },
  }),
  'GET /v1/agent-configurations/:id/compare': (id) => ({
    path: `/v1/agent-configurations/${id}/compare?with=${id}`,
  }),
  'POST /v1/agent-configurations/:id/clone': (id) => ({
    path: `/v1/agent-configurations/${id}/clone`,
    options: { json: {} },
  }),
  'GET /v1/views/:name': (id) => ({ path: `/v1/views/${id}?scope=team` }),
  'DELETE /v1/views/:name': (id) => ({ path: `/v1/views/${id}?scope=team` }),
  'PUT /v1/configuration-sets/:set/agents/:key': (id) => ({
    path: '/v1/configuration-sets/theirs/agents/taken-over',
    options: { json: { spec: { purpose: 'taken over' }, adopt: id } },
  }),
  'DELETE /v1/configuration-sets/:set/agents/:key': (id) => ({
    path: `/v1/configuration-sets/theirs/agents/${id}`,
  }),
  'POST /v1/agent-configurations/:id/request-budget': (id) => ({
    path: `/v1/agent-configurations/${id}/request-budget`,
    options: { json: { count: 1, priority: 'interactive' } },
  }),
  'PUT /v1/agent-configurations/:id/latest-evaluation': (id) => ({
    path: `/v1/agent-configurations/${id}/latest-evaluation`,
    options: { json: { evaluation_id: '3fa85f64-5717-4562-b3fc-2c963f66afa6', revision: 1 } },
  }),
  // The id of an agent is no user; see the test of users for one of another team.
  'DELETE /v1/users/:user_id': (id) => ({ path: `/v1/users/${id}` }),
}

/** Creates for the owner of an agent what the operations above name by its id, so that another team could find it. */
export async function nameAfter(running: TestConsole, { token }: Person, id: string): Promise<void> {
  const contents: Record<string, object> = {
    [`${COLLECTION}/${id}/secrets/crm`]: { value: 'of-the-owner' },
    [`/v1/views/${id}?scope=team`]: { query: '', columns: [] },
    [`/v1/configuration-sets/theirs/agents/${id}`]: { spec: {}, adopt: id },
  }
  for (const [path, json] of Object.entries(contents)) {
    const { status, text } = await running.request('PUT', path, { token, json })
    assert.ok(status < 300, `${path} ${text}`)
  }
}

/** Operations that name nothing of a team, each with the reason why. */
export const OPERATIONS_WITHOUT_ID: Record<string, string> = {
  'GET /v1/agent-configurations': 'lists the team of the token; see the test of the list',
  'GET /v1/agent-configurations/facets': 'counts the team of the token; see the test of the facets',
  'GET /v1/agent-configurations/export': 'lists the team of the token; see the test of the export',
  'POST /v1/agent-configurations/bulk': 'has a result for each id; see the test of bulk requests',
  'POST /v1/agent-imports': 'finds agents by external keys of the team of the token; see the test of imports',
  'POST /v1/agent-configurations': 'creates in the team of the token, whatever the body says',
  'GET /v1/agent-configurations/events': 'tells of the team of the token; see the test of the watch',
  'GET /v1/views': 'lists the views of the user and the team of the token; see the test of views',
  'PUT /v1/views/:name': 'saves for the user or the team of the token; see the test of views',
  'GET /v1/configuration-sets': 'lists the team of the token; see the test of sets',
  'GET /v1/configuration-sets/:set/agents': 'lists the team of the token; see the test of sets',
  'GET /v1/configuration-sets/:set/drift': 'lists the team of the token; see the test of sets',
  'GET /v1/audit-events': 'lists the events of the team of the token',
  'GET /v1/audit-events/export': 'lists the events of the team of the token',
  'GET /v1/users': 'lists users of the team of the token; see the test of users',
  'GET /v1/me': 'says what the token says',
  'GET /.well-known/oauth-protected-resource': 'the metadata is public',
  'GET /.well-known/oauth-protected-resource/mcp': 'the metadata is public',
  'POST /mcp': 'names agents in the arguments of its tools; see the test of the MCP server',
  'GET /v1/services': 'says nothing of any team',
  'GET /v1/evolution/status/:agent_id': 'asks nothing here: the evolution service decides by the token',
  'POST /v1/genomes': 'asks nothing here: the evolution service decides by the token',
  'GET /health/live': 'says nothing of any team',
  'GET /health/ready': 'says nothing of any team',
  'GET /.well-known/jwks.json': 'the public keys of the console',
  'GET /': 'the landing page is public',
  'GET /asyncapi.json': 'the document is public',
  'GET /openapi.json': 'the document is public',
  'GET /docs': 'the reference page is public',
  'GET /docs/scalar-:hash.js': 'the reference page is public',
  // One route for whatever services declare: see the tests of mounted operations.
  ...Object.fromEntries(
    METHODS.filter((method) => !['CONNECT', 'HEAD'].includes(method)).map((method) => [
      `${method} /*`,
      'asks nothing here: the service decides by the token',
    ]),
  ),
}
