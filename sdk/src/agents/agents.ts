import type { Transport } from '../client/transport.ts'
import { Stale } from '../errors.ts'
import type { ChangeOptions, ConditionalOptions, CreateOptions } from '../options.ts'
import type { paths } from '../schema.ts'
import { type TypedRequest, typedRequest } from '../typed-request.ts'
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
import { changeHeaders, creationHeaders, type ImpactOptions } from './headers.ts'
import { AgentReads } from './reads.ts'
import { agentResult, revisionOf } from './result.ts'

const AGENTS = '/v1/agent-configurations'
const AGENT = `${AGENTS}/{id}`
const MAX_EDITS = 4

/** The operations on agents. */
export class Agents extends AgentReads {
  readonly #request: TypedRequest<paths>

  constructor(transport: Transport) {
    super(transport)
    this.#request = typedRequest(transport)
  }

  async create(agent: AgentCreate, options: CreateOptions = {}): Promise<AgentResult> {
    const headers = creationHeaders(options)
    return agentResult(await this.#request('POST', AGENTS, { ...options, headers, body: agent }))
  }

  /** Creates an agent with the values of another one, except for the changes. */
  async clone(id: string, changes: AgentClone = {}, options: CreateOptions = {}): Promise<AgentResult> {
    const input = { ...options, path: { id }, headers: creationHeaders(options), body: changes }
    return agentResult(await this.#request('POST', `${AGENT}/clone`, input))
  }

  /** Replaces the given fields. Give `ifRevision` to overwrite no change of another writer. */
  async update(
    id: string,
    changes: AgentUpdate,
    options: ConditionalOptions & ImpactOptions = {},
  ): Promise<AgentResult> {
    const input = { ...options, path: { id }, headers: changeHeaders(options), body: changes }
    return agentResult(await this.#request('PUT', AGENT, input))
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
    await this.#request('DELETE', AGENT, { ...options, path: { id }, query, headers: changeHeaders(options) })
  }

  /** What a deletion would do. */
  async planDelete(id: string, options: ConditionalOptions & ImpactOptions = {}): Promise<AgentDeletePlan> {
    const input = { ...options, path: { id }, query: { dry_run: true }, headers: changeHeaders(options) }
    const { data } = await this.#request('DELETE', AGENT, { ...input, idempotent: true })
    return data as AgentDeletePlan
  }

  /** Brings a deleted agent back. */
  async recover(id: string, options: ChangeOptions = {}): Promise<AgentResult> {
    const input = { ...options, path: { id }, headers: changeHeaders(options) }
    return agentResult(await this.#request('POST', `${AGENT}/recover`, input))
  }

  /** Makes a new revision with the values of an earlier one. */
  async restore(id: string, revision: number, options: ConditionalOptions = {}): Promise<AgentResult> {
    const input = { ...options, path: { id, revision }, headers: changeHeaders(options) }
    return agentResult(await this.#request('POST', `${AGENT}/revisions/{revision}/restore`, input))
  }

  /** Removes values from history for good. */
  async redact(
    id: string,
    revision: number,
    fields: RevisionRedaction['fields'],
    options: ChangeOptions = {},
  ): Promise<void> {
    const headers = changeHeaders(options)
    // The document asks the client to repeat it, as a removed value stays removed.
    const input = { ...options, path: { id, revision }, headers, body: { fields }, idempotent: true }
    await this.#request('POST', `${AGENT}/revisions/{revision}/redact`, input)
  }

  async moveStage(
    id: string,
    stage: TrustStage,
    options: ConditionalOptions & ImpactOptions = {},
  ): Promise<AgentResult> {
    const body = { trust_stage: stage }
    const input = { ...options, path: { id }, headers: changeHeaders(options), body }
    return agentResult(await this.#request('PUT', `${AGENT}/lifecycle`, input))
  }

  /** Changes up to 500 agents, each by itself: see the outcome of each. */
  async bulk(change: AgentBulk, options: CreateOptions & ImpactOptions = {}): Promise<AgentBulkResult> {
    const input = { ...options, headers: creationHeaders(options), body: change }
    return (await this.#request('POST', `${AGENTS}/bulk`, input)).data
  }

  /** Stores the result of a completed evaluation. Returns the latest evaluation of the agent. */
  async recordEvaluation(
    id: string,
    evaluation: AgentEvaluation,
    options: ChangeOptions & { idempotent?: boolean } = {},
  ): Promise<AgentLatestEvaluation> {
    const input = { ...options, path: { id }, headers: changeHeaders(options), body: evaluation }
    return (await this.#request('PUT', `${AGENT}/latest-evaluation`, input)).data
  }

  /** Sets a named secret. Returns it masked, with the revision of the agent. */
  async putSecret(
    id: string,
    name: string,
    value: string,
    options: ConditionalOptions = {},
  ): Promise<{ secret: NamedSecret; revision: number }> {
    const input = { ...options, path: { id, name }, headers: changeHeaders(options), body: { value } }
    const { data, headers } = await this.#request('PUT', `${AGENT}/secrets/{name}`, input)
    return { secret: data, revision: revisionOf(headers) }
  }

  /** Returns the revision of the agent. */
  async deleteSecret(
    id: string,
    name: string,
    options: ConditionalOptions = {},
  ): Promise<{ revision: number }> {
    const input = { ...options, path: { id, name }, headers: changeHeaders(options) }
    const { headers } = await this.#request('DELETE', `${AGENT}/secrets/{name}`, input)
    return { revision: revisionOf(headers) }
  }
}
