import type { components, operations } from './schema.ts'

type Schemas = components['schemas']
/** The query parameters of an operation. */
export type Query<Id extends keyof operations> = NonNullable<operations[Id]['parameters']['query']>

/** An agent as the console returns it: every field is present, except `latest_evaluation` without `include_scores`. */
export type Agent = Required<Omit<Schemas['Agent'], 'latest_evaluation'>> &
  Pick<Schemas['Agent'], 'latest_evaluation'>
export type AgentCreate = Schemas['AgentCreate']
export type AgentUpdate = Schemas['AgentUpdate']
export type AgentClone = operations['cloneAgentConfiguration']['requestBody']['content']['application/json']
export type AgentLifecycle = Schemas['AgentLifecycle']
export type TrustStage = AgentLifecycle['trust_stage']
export type AgentRevision = Schemas['AgentRevision']
export type AgentRevisionPage = Schemas['AgentRevisionPage']
export type AgentDiff = Schemas['AgentDiff']
export type AgentComparison = Schemas['AgentComparison']
export type RevisionRedaction = Schemas['RevisionRedaction']
export type AgentFacets = Schemas['AgentFacets']
export type ExportedAgent = Schemas['ExportedAgent']
export type AgentBulk = Schemas['AgentBulk']
export type AgentBulkResult = Schemas['AgentBulkResult']
export type AgentDeletePlan = Schemas['AgentDeletePlan']
export type DependentsImpact = Schemas['DependentsImpact']
export type AgentDelegation = Schemas['AgentDelegation']
export type AgentDependentPage = Schemas['AgentDependentPage']
export type AgentEvaluation = Schemas['AgentEvaluation']
export type AgentLatestEvaluation = Schemas['AgentLatestEvaluation']
export type RecordedEvaluation = Schemas['RecordedEvaluation']
export type RecordedEvaluationPage = Schemas['RecordedEvaluationPage']
export type EvaluationSeries = Schemas['EvaluationSeries']
export type AgentSecrets = Schemas['AgentSecrets']
export type NamedSecret = Schemas['NamedSecret']
export type NamedSecretList = Schemas['NamedSecretList']
export type AgentEvent = Schemas['AgentEvent']
export type AgentSkill = Schemas['AgentSkill']
export type SavedView = Schemas['SavedView']
export type SavedViewContent = Schemas['SavedViewContent']
export type SavedViewList = Schemas['SavedViewList']
export type ViewScope = NonNullable<Query<'getView'>['scope']>
export type AgentSpec = Schemas['AgentSpec']
export type ManagedAgentWrite = Schemas['ManagedAgentWrite']
export type ManagedAgentResult = Schemas['ManagedAgentResult']
export type ManagedAgent = Schemas['ManagedAgent']
export type ManagedAgentPage = Schemas['ManagedAgentPage']
export type ConfigurationSetList = Schemas['ConfigurationSetList']
export type AgentDrift = Schemas['AgentDrift']
export type AgentDriftPage = Schemas['AgentDriftPage']
export type AuditEvent = Schemas['AuditEvent']
export type AuditEventPage = Schemas['AuditEventPage']
export type EvolutionStatus = Schemas['EvolutionStatus']
export type Genome = Schemas['Genome']
export type ServiceStatus = Schemas['ServiceStatus']
export type ServiceList = Schemas['ServiceList']
export type Me = Schemas['Me']
export type User = Schemas['User']
export type UserList = Schemas['UserList']
export type ProblemCode = Schemas['Problem']['code']
export type ValidationFault = Schemas['ValidationError']

export type AgentFilters = Query<'getAgentFacets'>
export type AgentListQuery = Query<'listAgentConfigurations'>
export type AuditFilters = Omit<Query<'exportAuditEvents'>, 'after_id'>

/** Agents of a list; with `fields`, each has only those members. */
export type ListedAgent<Field extends keyof Agent = keyof Agent> = Pick<Agent, Field | 'id'>

export interface AgentPage<Field extends keyof Agent = keyof Agent> {
  results: ListedAgent<Field>[]
  /** Revisions of the agents, in the order of `results`. */
  revisions: number[]
  next_cursor: string | null
  /** Present only with `include_count`. */
  count?: number
}

/** An agent with its revision, which only the ETag of a response holds. */
export interface AgentResult {
  agent: Agent
  revision: number
  /** Names of the fields in the body that the console ignored. */
  ignoredFields: string[]
  /** Paths of values in the body that look like a credential. */
  credentialWarnings: string[]
  requestId: string
}
