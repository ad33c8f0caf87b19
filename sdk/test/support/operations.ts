import { randomUUID } from 'node:crypto'
import type { Person, TestConsole } from '../../../test/support/console.ts'
import { namedPerson } from '../../../test/support/named-person.ts'
import { until } from '../../../test/support/until.ts'
import { type AuditEvent, type CallOptions, Console } from '../../src/index.ts'

/** What a call works on: a team of its own, so that its changes can be counted. */
export interface Scene {
  running: TestConsole
  person: Person
  /** An agent with three revisions and a named secret, at revision 4. */
  id: string
  name: string
}

export interface Operation {
  /** Prepares the scene further. */
  prepare?: (scene: Scene) => Promise<unknown>
  call: (console: Console, scene: Scene, options: CallOptions) => Promise<unknown>
  /** Whether the SDK repeats it. */
  isRepeated: boolean
  /** The changes that the console has made for the scene. Absent: the operation changes nothing. */
  count?: (scene: Scene) => Promise<number>
}

const REVISION = 4

/** Without the proxy. It repeats more: a busy machine must not decide the test. */
const direct = ({ running, person: { token } }: Pick<Scene, 'running' | 'person'>) =>
  new Console({ baseUrl: running.url, token, maxRetries: 20 })

export async function createScene(running: TestConsole): Promise<Scene> {
  const name = `agent-${randomUUID()}`
  const person = await namedPerson(running, { name: 'Ada' })
  const { agents } = direct({ running, person })
  const { agent } = await agents.create({
    ...{ agent_name: name, model_name: 'm', agent_url: 'https://example.com/1', hub: 'h' },
  })
  await agents.update(agent.id, { agent_url: 'https://example.com/2' }, { ifRevision: 1 })
  await agents.update(agent.id, { agent_url: 'https://example.com/3' }, { ifRevision: 2 })
  await agents.putSecret(agent.id, 'key', 'a secret value of the test', { ifRevision: 3 })
  return { running, person, id: agent.id, name }
}

/** The console stores the name of a user after the response. */
export function nameIsStored(scene: Scene): Promise<void> {
  return until('the name is stored', async () => {
    const { results } = await direct(scene).users.list([scene.person.user])
    return results[0]?.name === 'Ada'
  })
}

/** The audit log has one record for each change, written in the same transaction. */
function audited(action: AuditEvent['action']): (scene: Scene) => Promise<number> {
  return async (scene) => (await direct(scene).audit.list({ action })).results.length
}

const read = (call: Operation['call']): Operation => ({ call, isRepeated: true })

const VIEW = { query: 'statuses=active', columns: [] }
const EVALUATION = {
  evaluation_id: randomUUID(),
  completed_at: 1_700_000_000,
  revision: 1,
  overall_score: 0.5,
}

/** A call for each operation of the document, except for the stream of events. */
export const OPERATIONS: Record<string, Operation> = {
  listAgentConfigurations: read(({ agents }, _, options) => agents.list({}, options)),
  getAgentConfiguration: read(({ agents }, { id }, options) => agents.get(id, {}, options)),
  countAgentConfigurations: read(({ agents }, _, options) => agents.facets({}, options)),
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
  readAgentSecrets: read(({ agents }, { id }, options) => agents.secrets(id, options)),
  listAgentSecretNames: read(({ agents }, { id }, options) => agents.secretNames(id, options)),
  listViews: read(({ views }, _, options) => views.list(options)),
  getView: {
    ...read(({ views }, _, options) => views.get('mine', options)),
    prepare: (scene) => direct(scene).views.save('mine', VIEW),
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
    count: async (scene) => (await audited('agent_created')(scene)) - 1,
  },
  cloneAgentConfiguration: {
    call: ({ agents }, { id }, options) => agents.clone(id, {}, options),
    isRepeated: true,
    count: async (scene) => (await audited('agent_created')(scene)) - 1,
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
    count: async (scene) => (await audited('agent_updated')(scene)) - 3,
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
  changeAgentTrustStage: {
    call: ({ agents }, { id }, options) =>
      agents.moveStage(id, 'tested', { ...options, ifRevision: REVISION }),
    isRepeated: true,
    count: audited('agent_trust_stage_changed'),
  },
  changeAgentConfigurations: {
    call: ({ agents }, { id }, options) =>
      agents.bulk({ agents: [{ id }], update: { hub: 'bulk' } }, options),
    isRepeated: true,
    count: async (scene) => (await audited('agent_updated')(scene)) - 3,
  },
  recordAgentEvaluation: {
    call: ({ agents }, { id }, options) => agents.recordEvaluation(id, EVALUATION, options),
    isRepeated: false,
    count: audited('agent_evaluation_recorded'),
  },
  putAgentSecret: {
    call: ({ agents }, { id }, options) =>
      agents.putSecret(id, 'other', 'another secret of the test', { ...options, ifRevision: REVISION }),
    isRepeated: true,
    count: async (scene) => (await audited('agent_updated')(scene)) - 3,
  },
  deleteAgentSecret: {
    call: ({ agents }, { id }, options) =>
      agents.deleteSecret(id, 'key', { ...options, ifRevision: REVISION }),
    isRepeated: true,
    count: async (scene) => (await audited('agent_updated')(scene)) - 3,
  },
  saveView: {
    call: ({ views }, _, options) => views.save('ours', VIEW, { ...options, scope: 'team' }),
    isRepeated: false,
    count: audited('view_saved'),
  },
  deleteView: {
    prepare: (scene) => direct(scene).views.save('ours', VIEW, { scope: 'team' }),
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
}
