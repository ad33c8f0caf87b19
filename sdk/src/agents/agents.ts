import { NotFound, Stale } from '../errors.ts'
import type { ChangeOptions, ConditionalOptions, CreateOptions, ImpactOptions } from '../options.ts'
import type {
  Agent,
  AgentBulk,
  AgentBulkResult,
  AgentClone,
  AgentCreate,
  AgentDeletePlan,
  AgentEvaluation,
  AgentLatestEvaluation,
  AgentResult,
  AgentUpdate,
  NamedSecret,
  RevisionRedaction,
  TrustStage,
} from '../types.ts'
import { type Change, sendOnce } from './confirm.ts'
import { AGENT, AGENTS, AgentReads } from './reads.ts'
import { agentResult, revisionOf } from './result.ts'
import { isMaskOf, isStoredAs, mask } from './same-value.ts'

const MAX_EDITS = 4

/** The operations on agents. */
export class Agents extends AgentReads {
  async create(agent: AgentCreate, options: CreateOptions = {}): Promise<AgentResult> {
    return agentResult(await this.request('POST', AGENTS, { ...this.withKey(options), body: agent }))
  }

  /** Creates an agent with the values of another one, except for the changes. */
  async clone(id: string, changes: AgentClone = {}, options: CreateOptions = {}): Promise<AgentResult> {
    const input = { ...this.withKey(options), path: { id }, body: changes }
    return agentResult(await this.request('POST', `${AGENT}/clone`, input))
  }

  /** Replaces the given fields. Give `ifRevision` to overwrite no change of another writer. */
  async update(
    id: string,
    changes: AgentUpdate,
    options: ConditionalOptions & ImpactOptions = {},
  ): Promise<AgentResult> {
    const input = { ...options, path: { id }, body: changes }
    // A member that is undefined is not sent.
    const sent = JSON.parse(JSON.stringify(changes)) as object
    return this.#once({
      id,
      call: options,
      send: async () => agentResult(await this.request('PUT', AGENT, input)),
      isResult: ({ action, fields }, { agent }) =>
        action === 'updated' &&
        fields.every((name) => name in sent) &&
        Object.entries(sent).every(
          ([name, value]) =>
            // The console ignores the time in a whole agent.
            name === 'updated_at' || isStoredAs(name, value, agent[name as keyof Agent]),
        ),
    })
  }

  /**
   * Reads the agent, calls `change`, and writes what it returns if no other writer was faster; otherwise it starts
   * again, at most three times. Without a return value nothing is written.
   */
  async edit(
    id: string,
    change: (agent: Agent, revision: number) => AgentUpdate | undefined | Promise<AgentUpdate | undefined>,
    options: ChangeOptions & ImpactOptions = {},
  ): Promise<AgentResult> {
    for (let attempt = 1; ; attempt++) {
      const current = await this.get(id, {}, options)
      const changes = await change(current.agent, current.revision)
      if (!changes) return current
      try {
        return await this.update(id, changes, { ...options, ifRevision: current.revision })
      } catch (error) {
        if (!(error instanceof Stale) || attempt >= MAX_EDITS) throw error
      }
    }
  }

  /** Hides the agent at once. `recover` brings it back for some days, except after `erase`. */
  async delete(
    id: string,
    options: ConditionalOptions & ImpactOptions & { erase?: boolean | undefined } = {},
  ): Promise<void> {
    const query = options.erase ? { erase: true } : {}
    const input = { ...options, path: { id }, query }
    try {
      await this.request('DELETE', AGENT, input)
    } catch (error) {
      // The try whose response was lost has deleted it, or someone else has. Others may have only hidden what is to be erased.
      if (options.erase || !(error instanceof NotFound && error.afterLostResponse)) throw error
    }
  }

  /** What a deletion would do. */
  async planDelete(id: string, options: ConditionalOptions & ImpactOptions = {}): Promise<AgentDeletePlan> {
    const input = { ...options, path: { id }, query: { dry_run: true }, idempotent: true }
    return (await this.request('DELETE', AGENT, input)).data as AgentDeletePlan
  }

  /** Brings a deleted agent back. */
  async recover(id: string, options: ChangeOptions = {}): Promise<AgentResult> {
    const input = { ...options, path: { id } }
    return agentResult(await this.request('POST', `${AGENT}/recover`, input))
  }

  /** Makes a new revision with the values of an earlier one. */
  async restore(
    id: string,
    revision: number,
    options: ConditionalOptions & ImpactOptions = {},
  ): Promise<AgentResult> {
    const input = { ...options, path: { id, revision } }
    return this.#once({
      id,
      call: options,
      send: async () =>
        agentResult(await this.request('POST', `${AGENT}/revisions/{revision}/restore`, input)),
      isResult: (made) => made.restored_revision === revision,
    })
  }

  /** Removes values from history for good. */
  async redact(
    id: string,
    revision: number,
    fields: RevisionRedaction['fields'],
    options: ChangeOptions = {},
  ): Promise<void> {
    // The document asks the client to repeat it, as a removed value stays removed.
    const input = { ...options, path: { id, revision }, body: { fields }, idempotent: true }
    await this.request('POST', `${AGENT}/revisions/{revision}/redact`, input)
  }

  async moveStage(
    id: string,
    stage: TrustStage,
    options: ConditionalOptions & ImpactOptions = {},
  ): Promise<AgentResult> {
    const input = { ...options, path: { id }, body: { trust_stage: stage } }
    return this.#once({
      id,
      call: options,
      send: async () => agentResult(await this.request('PUT', `${AGENT}/lifecycle`, input)),
      isResult: ({ action }, { agent }) => action === 'trust_stage_changed' && agent.trust_stage === stage,
    })
  }

  /** Changes up to 500 agents, each by itself: see the outcome of each. With `dryRun`, changes none and says what would change. */
  async bulk(
    change: AgentBulk,
    options: CreateOptions & ImpactOptions & { dryRun?: boolean | undefined } = {},
  ): Promise<AgentBulkResult> {
    const query = options.dryRun ? { dry_run: true } : {}
    const input = { ...this.withKey(options), query, body: change }
    return (await this.request('POST', `${AGENTS}/bulk`, input)).data
  }

  /** Stores the result of a completed evaluation. Returns the latest evaluation of the agent. */
  async recordEvaluation(
    id: string,
    evaluation: AgentEvaluation,
    options: ChangeOptions & { idempotent?: boolean } = {},
  ): Promise<AgentLatestEvaluation> {
    const input = { ...options, path: { id }, body: evaluation }
    return (await this.request('PUT', `${AGENT}/latest-evaluation`, input)).data
  }

  /** Creates or replaces a named secret. Returns it masked, with the revision of the agent. */
  async updateSecret(
    id: string,
    name: string,
    value: string,
    options: ConditionalOptions = {},
  ): Promise<{ secret: NamedSecret; revision: number }> {
    const input = { ...options, path: { id, name }, body: { value } }
    const send = () => this.request('PUT', `${AGENT}/secrets/{name}`, input)
    const revision = await this.#changeSecret(id, name, options, send, value)
    return { secret: { name, mask: mask(value), revision }, revision }
  }

  /** Returns the revision of the agent. */
  async deleteSecret(
    id: string,
    name: string,
    options: ConditionalOptions = {},
  ): Promise<{ revision: number }> {
    const input = { ...options, path: { id, name } }
    const send = () => this.request('DELETE', `${AGENT}/secrets/{name}`, input)
    return { revision: await this.#changeSecret(id, name, options, send) }
  }

  /** Without a value the secret is removed. Returns the revision of the agent. */
  async #changeSecret(
    id: string,
    name: string,
    call: ConditionalOptions,
    send: () => Promise<{ headers: Headers }>,
    value?: string,
  ): Promise<number> {
    const { revision } = await this.#once({
      id,
      call,
      send: async () => ({ revision: revisionOf((await send()).headers) }),
      isResult: async ({ fields, revision: made }) => {
        if (fields.join() !== `secrets.${name}`) return false
        const { results } = await this.secretNames(id, call)
        const found = results.find((secret) => secret.name === name)
        return value === undefined ? !found : found?.revision === made && isMaskOf(found.mask, value)
      },
    })
    return revision
  }

  #once<T extends { revision: number }>(change: Change<T>): Promise<T | AgentResult> {
    return sendOnce(this, async (options) => (await this.request('GET', '/v1/me', options)).data, change)
  }
}
