import { randomUUID } from 'node:crypto'
import { REQUESTED } from './requested-operations.ts'
import { audited, direct, nameIsStored, type Operation, REVISION, read } from './scene.ts'

const VIEW = { query: 'statuses=active', columns: [] }
const EVALUATION = {
  evaluation_id: randomUUID(),
  completed_at: 1_700_000_000,
  revision: 1,
  overall_score: 0.5,
}

/** A call for each operation of the document, except for the stream of events and the refresh of a card, which needs a server of
 * cards. */
export const OPERATIONS: Record<string, Operation> = {
  listAgentConfigurations: read(({ agents }, _, options) => agents.list({}, options)),
  getAgentConfiguration: read(({ agents }, { id }, options) => agents.get(id, {}, options)),
  getAgentFacets: read(({ agents }, _, options) => agents.facets({}, options)),
  exportAgentConfigurations: read(({ agents }, _, options) => Array.fromAsync(agents.export({}, options))),
  listAgentRevisions: read(({ agents }, { id }, options) => agents.revisions(id, {}, options)),
  getAgentRevision: read(({ agents }, { id }, options) => agents.revision(id, 1, options)),
  diffAgentRevisions: read(({ agents }, { id }, options) => agents.diff(id, 2, {}, options)),
  compareAgentConfigurations: read(({ agents }, { id }, options) =>
    agents.compare(id, { with: id, with_revision: 1 }, options),
  ),
  listAgentEvaluations: read(({ agents }, { id }, options) => agents.evaluations(id, {}, options)),
  getAgentEvaluationSeries: read(({ agents }, { id }, options) => agents.evaluationSeries(id, {}, options)),
  getAgentDelegation: read(({ agents }, { id }, options) => agents.delegation(id, {}, options)),
  listAgentDependents: read(({ agents }, { id }, options) => agents.dependents(id, {}, options)),
  getAgentSecrets: read(({ agents }, { id }, options) => agents.secrets(id, options)),
  listAgentSecretNames: read(({ agents }, { id }, options) => agents.secretNames(id, options)),
  listViews: read(({ views }, _, options) => views.list(options)),
  getView: {
    ...read(({ views }, _, options) => views.get('mine', options)),
    prepare: (scene) => direct(scene).views.update('mine', VIEW),
  },
  listAuditEvents: read(({ audit }, _, options) => audit.list({ action: 'agent_updated' }, options)),
  exportAuditEvents: read(({ audit }, _, options) =>
    Array.fromAsync(audit.export({ action: 'agent_updated', until: 4_000_000_000 }, options)),
  ),
  listUsers: read(({ users }, { person }, options) => users.list([person.user], options)),
  getEvolutionStatus: read(({ evolution }, { id }, options) => evolution.status(id, options)),
  getMe: read((console, _, options) => console.me(options)),
  listServices: read(({ services }, _, options) => services.list(options)),

  createAgentConfiguration: {
    call: ({ agents }, { name }, options) => agents.create({ agent_name: name, model_name: 'm' }, options),
    isRepeated: true,
    count: audited('agent_created'),
  },
  cloneAgentConfiguration: {
    call: ({ agents }, { id }, options) => agents.clone(id, {}, options),
    isRepeated: true,
    count: audited('agent_created'),
  },
  updateAgentConfiguration: {
    call: ({ agents }, { id }, options) =>
      agents.edit(
        id,
        (agent) => ({ rate_limit_requests_per_minute: agent.rate_limit_requests_per_minute + 1 }),
        {
          ...options,
          reason: 'more, 10 %',
        },
      ),
    isRepeated: true,
    count: audited('agent_updated'),
  },
  deleteAgentConfiguration: {
    call: ({ agents }, { id }, options) => agents.delete(id, { ...options, ifRevision: REVISION }),
    isRepeated: true,
    count: audited('agent_deleted'),
  },
  recoverAgentConfiguration: {
    prepare: (scene) => direct(scene).agents.delete(scene.id, { ifRevision: REVISION }),
    call: ({ agents }, { id }, options) => agents.recover(id, options),
    isRepeated: false,
    count: audited('agent_recovered'),
  },
  restoreAgentRevision: {
    call: ({ agents }, { id }, options) => agents.restore(id, 1, { ...options, ifRevision: REVISION }),
    isRepeated: true,
    count: audited('agent_restored'),
  },
  redactAgentRevision: {
    call: ({ agents }, { id }, options) => agents.redact(id, 1, ['agent_url'], options),
    isRepeated: true,
    // A repetition removes nothing more; the audit log records both.
    count: async (scene) => {
      const { agent } = await direct(scene).agents.revision(scene.id, 1)
      return agent.agent_url === null ? 1 : 0
    },
  },
  moveAgentTrustStage: {
    call: ({ agents }, { id }, options) =>
      agents.moveStage(id, 'tested', { ...options, ifRevision: REVISION }),
    isRepeated: true,
    count: audited('agent_trust_stage_changed'),
  },
  bulkChangeAgentConfigurations: {
    call: ({ agents }, { id }, options) =>
      agents.bulk({ agents: [{ id }], update: { hub: 'bulk' } }, options),
    isRepeated: true,
    count: audited('agent_updated'),
  },
  recordAgentEvaluation: {
    call: ({ agents }, { id }, options) => agents.recordEvaluation(id, EVALUATION, options),
    isRepeated: false,
    count: audited('agent_evaluation_recorded'),
  },
  updateAgentSecret: {
    call: ({ agents }, { id }, options) =>
      agents.updateSecret(id, 'other', 'another secret of the test', { ...options, ifRevision: REVISION }),
    isRepeated: true,
    count: audited('agent_updated'),
  },
  deleteAgentSecret: {
    call: ({ agents }, { id }, options) =>
      agents.deleteSecret(id, 'key', { ...options, ifRevision: REVISION }),
    isRepeated: true,
    count: audited('agent_updated'),
  },
  updateView: {
    call: ({ views }, _, options) => views.update('ours', VIEW, { ...options, scope: 'team' }),
    isRepeated: false,
    count: audited('view_saved'),
  },
  deleteView: {
    prepare: (scene) => direct(scene).views.update('ours', VIEW, { scope: 'team' }),
    call: ({ views }, _, options) => views.delete('ours', { ...options, scope: 'team' }),
    isRepeated: false,
    count: audited('view_deleted'),
  },
  eraseUserName: {
    prepare: nameIsStored,
    call: ({ users }, { person }, options) => users.eraseName(person.user, options),
    isRepeated: false,
    count: audited('user_erased'),
  },
  createGenome: {
    call: ({ evolution }, { id }, options) => evolution.seed({ agent_id: id, genes: [1, 2] }, options),
    isRepeated: false,
    count: async ({ running, id }) =>
      running.evolution.requests().filter(({ method, body }) => method === 'POST' && body.includes(id))
        .length,
  },
  ...REQUESTED,
}
