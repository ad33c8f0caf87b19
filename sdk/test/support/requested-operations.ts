import { randomUUID } from 'node:crypto'
import { audited, direct, type Operation, read } from './scene.ts'

const BUDGET = '/v1/agent-configurations/{id}/request-budget'
const SET = '/v1/configuration-sets/{set}'
const MANAGED = `${SET}/agents/{key}` as const

const PERMITS = { count: 1, priority: 'evaluation' } as const
const MANAGED_PATH = { set: 'files', key: 'a' }

/** The operations without a method of their own: `request` calls them. */
export const REQUESTED: Record<string, Operation> = {
  getRequestBudget: read(({ request }, { id }, options) =>
    request('GET', BUDGET, { ...options, path: { id } }),
  ),
  takeRequestPermits: {
    // One permit, and another one a minute later.
    prepare: ({ running, person, id }) =>
      direct({ running, person }).agents.update(id, { rate_limit_requests_per_minute: 1 }),
    call: ({ request }, { id }, options) =>
      request('POST', BUDGET, { ...options, path: { id }, body: PERMITS }),
    isRepeated: false,
    count: async (scene) => {
      const { data } = await direct(scene).request('GET', BUDGET, { path: { id: scene.id } })
      return 1 - (data.remaining?.interactive ?? 0)
    },
  },

  listConfigurationSets: read(({ request }, _, options) => request('GET', '/v1/configuration-sets', options)),
  listManagedAgents: read(({ request }, _, options) =>
    request('GET', `${SET}/agents`, { ...options, path: { set: 'files' } }),
  ),
  listDrift: read(({ request }, _, options) =>
    request('GET', `${SET}/drift`, { ...options, path: { set: 'files' } }),
  ),
  applyManagedAgent: {
    // The same spec makes no second change.
    call: ({ request }, { id }, options) => {
      const body = { spec: { purpose: 'of the file' }, adopt: id }
      return request('PUT', MANAGED, { ...options, path: MANAGED_PATH, body, idempotent: true })
    },
    isRepeated: true,
    count: audited('agent_updated'),
  },
  releaseManagedAgent: {
    prepare: (scene) =>
      direct(scene).request('PUT', MANAGED, { path: MANAGED_PATH, body: { spec: {}, adopt: scene.id } }),
    call: ({ request }, _, options) => request('DELETE', MANAGED, { ...options, path: MANAGED_PATH }),
    isRepeated: false,
    count: audited('set_released'),
  },

  importAgentConfigurations: {
    call: ({ request }, { name }, options) =>
      request('POST', '/v1/agent-imports', {
        ...options,
        headers: { 'idempotency-key': randomUUID() },
        body: { rows: [{ external_key: 'a', agent_name: name, model_name: 'm' }] },
      }),
    isRepeated: true,
    count: audited('agent_created'),
  },
  getAgentCard: {
    ...read(({ request }, { id }, options) =>
      request('GET', '/v1/agent-configurations/{id}/agent-card', { ...options, path: { id } }),
    ),
    prepare: (scene) => direct(scene).agents.update(scene.id, { protocol: 'a2a' }),
  },
}
