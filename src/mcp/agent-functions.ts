import type { AgentCreate, AgentUpdate } from '../contract/agent.ts'
import type { RecordedEvaluationPage } from '../contract/evaluation.ts'
import type { AgentDiff, AgentRevisionPage } from '../contract/history.ts'
import type { AgentListQuery } from '../contract/list.ts'
import type { Lane } from '../platform/fairness/lanes.ts'
import type { Caller } from '../platform/identity/identity.ts'

interface AgentText {
  revision: number
  /** An Agent as JSON, its secrets masked. */
  text: string
}

interface ChangedAgent {
  revision: number
  fields: readonly string[]
  credentialWarnings?: readonly string[]
}

interface Page {
  limit: number
  cursor?: string
}

/** What the tools do with agents: the functions behind the API, called with the same caller. */
export interface AgentFunctions {
  /** Returns an AgentPage as JSON, in bytes. */
  list: (caller: Caller, query: AgentListQuery) => Promise<Buffer>
  laneOfList: (query: AgentListQuery) => Lane
  read: (caller: Caller, id: string, options: { includeScores: boolean }) => Promise<AgentText>
  readAt: (
    caller: Caller,
    id: string,
    revision: number,
    options: { includeScores: boolean },
  ) => Promise<AgentText>
  listRevisions: (caller: Caller, id: string, page: Page) => Promise<AgentRevisionPage>
  diff: (caller: Caller, id: string, revision: number, against?: number) => Promise<AgentDiff>
  listEvaluations: (caller: Caller, id: string, page: Page) => Promise<RecordedEvaluationPage>
  /** The names of the fields that an update would change. */
  planUpdate: (
    caller: Caller,
    id: string,
    update: AgentUpdate,
    revision: number,
  ) => Promise<readonly string[]>
  update: (caller: Caller, id: string, update: AgentUpdate, revision: number) => Promise<ChangedAgent>
  restore: (caller: Caller, id: string, revision: number, current: number) => Promise<ChangedAgent>
  create: (
    caller: Caller,
    agent: AgentCreate,
    idempotencyKey: string,
  ) => Promise<{ id: string; revision: number; credentialWarnings?: readonly string[] }>
  /** Validate as the API validates a body. */
  checkUpdate: (value: unknown) => AgentUpdate
  checkCreate: (value: unknown) => AgentCreate
  checkReason: (reason: string) => string
}
