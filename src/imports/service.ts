import type { Logger } from 'pino'
import type { AgentImportItem, AgentImportQuery, AgentImportResult } from '../contract/imports.ts'
import { RequestValidationError } from '../contract/validation-error.ts'
import type { Lanes } from '../platform/fairness/lanes.ts'
import { refusalProblem } from '../platform/fairness/place.ts'
import { createTurns, type Turns } from '../platform/fairness/turns.ts'
import type { Caller } from '../platform/identity/identity.ts'
import { inOrder } from '../platform/in-order.ts'
import type { Secrets } from '../platform/secrets/secrets.ts'
import type { BeginRepeatable, FoundAgent } from './agents.ts'
import { type ApplyDeps, applyRow, type ImportRun } from './apply-row.ts'
import { isTemporary, toResult } from './outcome.ts'
import { createPlans, type Seen } from './plan.ts'
import { type ImportBody, type ReadDeps, readRows } from './read/request.ts'
import { type CheckedRow, checkRows, refuseRepeated } from './valid-rows.ts'
import { valueError } from './validation.ts'

export interface ImportsDeps extends ReadDeps, ApplyDeps {
  secrets: Secrets
  /** Milliseconds since the epoch. */
  now: () => number
  lanes: Lanes
  shutdown: { hasBegun: boolean }
  beginRepeatable: BeginRepeatable
}

export interface ImportContext extends AgentImportQuery {
  idempotencyKey: string | undefined
  /** Aborted, with the error to throw, when the client disconnects. */
  signal: AbortSignal
  log: Pick<Logger, 'error' | 'warn'>
}

export type Imports = ReturnType<typeof createImports>

/** Rows of a request that are applied at the same time. */
const AT_ONCE = 2

/** Requests of all teams together, one of each. The rows of a request take several times the memory of its body. */
const MAX_RUNNING = 16

/** So few that another team does not wait for long. */
const KEYS_AT_A_TIME = 100

/** Creates and changes many agents, each in a transaction of its own. */
export function createImports(deps: ImportsDeps) {
  const plans = createPlans(deps.secrets, deps.now)
  const running = new Set<string>()

  const findAgents = async (turns: Turns, teamId: string, rows: readonly CheckedRow[]) => {
    const keys = rows.flatMap(({ externalKey, faults }) =>
      externalKey === null || faults.length > 0 ? [] : [externalKey],
    )
    const found = new Map<string, FoundAgent>()
    for (let start = 0; start < keys.length; start += KEYS_AT_A_TIME) {
      const some = keys.slice(start, start + KEYS_AT_A_TIME)
      const agents = await turns.take('reads', () => deps.agents.find(teamId, some))
      for (const agent of agents) found.set(agent.external_key, agent)
    }
    return found
  }

  const runImport = async (
    caller: Caller,
    checked: readonly CheckedRow[],
    body: ImportBody,
    context: ImportContext,
  ): Promise<AgentImportResult> => {
    const { dry_run: isDryRun = false, plan, idempotencyKey, signal, log } = context
    const seenInPlan = plan === undefined ? undefined : plans.open(caller, checked, plan)
    const isClosing = () => deps.shutdown.hasBegun
    const turns = createTurns({ lanes: deps.lanes, team: caller.teamId, signal, isClosing })
    const repeatable =
      isDryRun || idempotencyKey === undefined
        ? undefined
        : await deps.beginRepeatable(turns, caller, idempotencyKey, hashedPart(body))
    if (repeatable?.results) return toResult(repeatable.results, isDryRun, undefined)
    const found = await findAgents(turns, caller.teamId, checked)
    // Two external keys can stand for one agent: its own and its id.
    const agentOf = ({ externalKey, faults }: CheckedRow) =>
      faults.length > 0 ? undefined : found.get(externalKey ?? '')?.id
    const rows = refuseRepeated(checked, agentOf, 'is the same agent')
    const run: ImportRun = { caller, turns, isDryRun, plan: seenInPlan, repeatable, log }
    const seen: (Seen | undefined)[] = []
    const items = await inOrder<CheckedRow, AgentImportItem>(rows, AT_ONCE, async (row, index) => {
      const applied = await applyRow(deps, run, row, found.get(row.externalKey ?? ''))
      seen[index] = applied.seen
      return applied.item
    })
    const isComplete = !items.some(isTemporary)
    if (repeatable && isComplete) {
      // The changes are stored: without the results, a repetition works them out again.
      await repeatable
        .storeResults(items)
        .catch((error: unknown) => log.warn({ err: error }, 'the results were not stored'))
    }
    return toResult(items, isDryRun, isDryRun && isComplete ? plans.make(caller, checked, seen) : undefined)
  }

  return async (user: Caller, body: ImportBody, context: ImportContext): Promise<AgentImportResult> => {
    if (context.dry_run && context.plan !== undefined) {
      throw new RequestValidationError([
        valueError(['query', 'plan'], 'a dry run makes a plan and takes none'),
      ])
    }
    const caller: Caller = { ...user, via: 'import' }
    const { teamId } = caller
    if (running.has(teamId)) throw refusalProblem('own_share')
    if (running.size >= MAX_RUNNING) throw refusalProblem('overloaded')
    running.add(teamId)
    try {
      const rows = await checkRows(readRows(deps, body, { teamId, signal: context.signal }), deps.rows)
      return await runImport(caller, rows, body, context)
    } finally {
      running.delete(teamId)
    }
  }
}

/** What a repetition with the same idempotency key must send again. */
const hashedPart = ({ contentType, bytes }: ImportBody) => ['import', contentType, bytes?.toString('base64')]
