import { exportLines } from '../export-lines.ts'
import type { CallOptions } from '../options.ts'
import { pages } from '../pages.ts'
import { Resource } from '../resource.ts'
import type {
  Agent,
  AgentComparison,
  AgentDelegation,
  AgentDependentPage,
  AgentDiff,
  AgentFacets,
  AgentFilters,
  AgentListQuery,
  AgentPage,
  AgentResult,
  AgentRevisionPage,
  AgentSecrets,
  EvaluationSeries,
  ExportedAgent,
  ListedAgent,
  NamedSecretList,
  Query,
  RecordedEvaluationPage,
} from '../types.ts'
import { type WatchedEvent, type WatchOptions, watch } from '../watch.ts'
import { agentResult } from './result.ts'

export const AGENTS = '/v1/agent-configurations'
export const AGENT = '/v1/agent-configurations/{id}'

export interface ListQuery<Field extends keyof Agent> extends Omit<AgentListQuery, 'fields'> {
  /** Members that each agent of the list has, besides `id`. Default: all. */
  fields?: Field[]
}

/** The operations that read agents. */
export class AgentReads extends Resource {
  /** A page of the agents of the team. */
  async list<Field extends keyof Agent = keyof Agent>(
    query: ListQuery<Field> = {},
    options: CallOptions = {},
  ): Promise<AgentPage<Field>> {
    const { data } = await this.request('GET', AGENTS, { ...options, query })
    return data as AgentPage<Field>
  }

  /** All agents that match, page by page. */
  async *iterate<Field extends keyof Agent = keyof Agent>(
    query: ListQuery<Field> = {},
    options: CallOptions = {},
  ): AsyncGenerator<{ agent: ListedAgent<Field>; revision: number }, void, undefined> {
    const load = (cursor: string | undefined) =>
      this.list<Field>(cursor === undefined ? query : { ...query, cursor }, options)
    for await (const { results, revisions } of pages(query.cursor, load)) {
      for (const [index, agent] of results.entries())
        yield { agent, revision: revisions[index] ?? Number.NaN }
    }
  }

  /** The agent as it is now, or as it was at `revision`. */
  async get(
    id: string,
    query: Query<'getAgentConfiguration'> = {},
    options: CallOptions = {},
  ): Promise<AgentResult> {
    return agentResult(await this.request('GET', AGENT, { ...options, path: { id }, query }))
  }

  /** Numbers of agents by status, trust stage, protection, model and tag. */
  async facets(filters: AgentFilters = {}, options: CallOptions = {}): Promise<AgentFacets> {
    return (await this.request('GET', `${AGENTS}/facets`, { ...options, query: filters })).data
  }

  /** All agents that match, oldest first, without secrets. It continues after an interruption. */
  export(
    filters: AgentFilters & { cursor?: string } = {},
    options: CallOptions = {},
  ): AsyncGenerator<ExportedAgent, void, undefined> {
    return exportLines(this.transport, `${AGENTS}/export`, filters, 'cursor', options)
  }

  /** The export as text, for a download. */
  async exportText(
    query: Query<'exportAgentConfigurations'> = {},
    options: CallOptions = {},
  ): Promise<string> {
    return (await this.request('GET', `${AGENTS}/export`, { ...options, query })).data
  }

  /** Address of the export. It needs the token in the header `authorization`. */
  exportUrl(query: Query<'exportAgentConfigurations'> = {}): string {
    return this.transport.url({ template: `${AGENTS}/export`, query })
  }

  /** A page of the revisions of the agent, newest first. */
  async revisions(
    id: string,
    query: Query<'listAgentRevisions'> = {},
    options: CallOptions = {},
  ): Promise<AgentRevisionPage> {
    return (await this.request('GET', `${AGENT}/revisions`, { ...options, path: { id }, query })).data
  }

  /** The agent as it was at the revision. */
  async revision(id: string, revision: number, options: CallOptions = {}): Promise<AgentResult> {
    const path = { id, revision }
    return agentResult(await this.request('GET', `${AGENT}/revisions/{revision}`, { ...options, path }))
  }

  /** What differs between a revision and another one, by default the one before. */
  async diff(
    id: string,
    revision: number,
    query: Query<'diffAgentRevisions'> = {},
    options: CallOptions = {},
  ): Promise<AgentDiff> {
    const input = { ...options, path: { id, revision }, query }
    return (await this.request('GET', `${AGENT}/revisions/{revision}/diff`, input)).data
  }

  /** What differs between two agents. */
  async compare(
    id: string,
    query: Query<'compareAgentConfigurations'>,
    options: CallOptions = {},
  ): Promise<AgentComparison> {
    return (await this.request('GET', `${AGENT}/compare`, { ...options, path: { id }, query })).data
  }

  /** A page of the evaluations of the agent, newest first. */
  async evaluations(
    id: string,
    query: Query<'listAgentEvaluations'> = {},
    options: CallOptions = {},
  ): Promise<RecordedEvaluationPage> {
    return (await this.request('GET', `${AGENT}/evaluations`, { ...options, path: { id }, query })).data
  }

  /** One score of the agent over time. */
  async evaluationSeries(
    id: string,
    query: Query<'getAgentEvaluationSeries'> = {},
    options: CallOptions = {},
  ): Promise<EvaluationSeries> {
    const input = { ...options, path: { id }, query }
    return (await this.request('GET', `${AGENT}/evaluations/series`, input)).data
  }

  /** The agents that the agent delegates to, and the weakest trust stage among them. */
  async delegation(
    id: string,
    query: Query<'getAgentDelegation'> = {},
    options: CallOptions = {},
  ): Promise<AgentDelegation> {
    return (await this.request('GET', `${AGENT}/delegation`, { ...options, path: { id }, query })).data
  }

  /** A page of the agents that delegate to the agent. */
  async dependents(
    id: string,
    query: Query<'listAgentDependents'> = {},
    options: CallOptions = {},
  ): Promise<AgentDependentPage> {
    return (await this.request('GET', `${AGENT}/dependents`, { ...options, path: { id }, query })).data
  }

  /** The secrets in clear text. The audit log records the call. */
  async secrets(id: string, options: CallOptions = {}): Promise<AgentSecrets> {
    return (await this.request('GET', `${AGENT}/secrets`, { ...options, path: { id } })).data
  }

  /** The named secrets, masked. */
  async secretNames(id: string, options: CallOptions = {}): Promise<NamedSecretList> {
    return (await this.request('GET', `${AGENT}/secret-names`, { ...options, path: { id } })).data
  }

  /** The changes of the agents of the team, as they happen. */
  watch(options: WatchOptions = {}): AsyncGenerator<WatchedEvent, void, undefined> {
    return watch(this.transport, options)
  }
}
