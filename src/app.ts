import { BULK_PATH, bulkRoutes } from './agents/bulk/routes.ts'
import { createBulk } from './agents/bulk/service.ts'
import { configurationRoutes } from './agents/configuration/routes.ts'
import { createAgents } from './agents/configuration/service.ts'
import { delegationRoutes } from './agents/delegation/routes.ts'
import { createDelegationGraph } from './agents/delegation/service.ts'
import { estimateAgents } from './agents/estimate.ts'
import { evaluationRoutes } from './agents/evaluations/routes.ts'
import { createEvaluations } from './agents/evaluations/service.ts'
import { createRedact } from './agents/history/redact.ts'
import { historyRoutes } from './agents/history/routes.ts'
import { createHistory } from './agents/history/service.ts'
import { lifecycleRoutes } from './agents/lifecycle/routes.ts'
import { createLifecycle } from './agents/lifecycle/service.ts'
import { createAgentExport } from './agents/list/export.ts'
import { createFacets } from './agents/list/facets.ts'
import { listRoutes } from './agents/list/routes.ts'
import { createAgentList } from './agents/list/service.ts'
import { createNamedSecrets } from './agents/secrets/named-secrets.ts'
import { createReadSecrets } from './agents/secrets/read-secrets.ts'
import { secretRoutes } from './agents/secrets/routes.ts'
import { auditRoutes } from './audit/routes.ts'
import { createAudit } from './audit/service.ts'
import { requestBudgetRoutes } from './budgets/routes.ts'
import { RequestBudgets } from './budgets/service.ts'
import { AGENT_SCHEMAS } from './contract/agent.ts'
import { AGENT_CARD_SCHEMAS } from './contract/agent-card.ts'
import { SECRET_SCHEMAS } from './contract/agent-secrets.ts'
import { API_VERSION } from './contract/api-version.ts'
import { describeEvents } from './contract/asyncapi.ts'
import { AUDIT_SCHEMAS } from './contract/audit.ts'
import { BULK_SCHEMAS } from './contract/bulk.ts'
import { CONFIGURATION_SET_SCHEMAS } from './contract/configuration-set.ts'
import { DELEGATION_SCHEMAS } from './contract/delegation.ts'
import { EVALUATION_SCHEMAS } from './contract/evaluation.ts'
import { AgentEvent, DEFAULT_SUBJECT_PREFIX } from './contract/events.ts'
import { EvolutionError, EvolutionStatus, Genome } from './contract/evolution.ts'
import { ExportedAgent } from './contract/export.ts'
import { AgentFacets } from './contract/facets.ts'
import { HISTORY_SCHEMAS } from './contract/history.ts'
import { AgentImportRow, IMPORT_SCHEMAS, ImportRequestBody } from './contract/imports.ts'
import { AgentLifecycle } from './contract/lifecycle.ts'
import { AgentPage } from './contract/list.ts'
import { Me } from './contract/me.ts'
import { PERMISSIONS } from './contract/permissions.ts'
import { ProblemBody } from './contract/problem.ts'
import { REQUEST_BUDGET_SCHEMAS } from './contract/request-budget.ts'
import { SERVICE_SCHEMAS } from './contract/service.ts'
import { USER_SCHEMAS } from './contract/user.ts'
import { HTTPValidationError, ValidationError } from './contract/validation-error.ts'
import { VIEW_SCHEMAS } from './contract/view.ts'
import type { Deps } from './deps.ts'
import { createEvolutionClient } from './evolution/client.ts'
import { evolutionRoutes } from './evolution/routes.ts'
import { asyncApiRoute } from './http/asyncapi.ts'
import { checkReason } from './http/change-reason.ts'
import { type DeliveryState, healthRoutes } from './http/health.ts'
import { jwksRoute } from './http/jwks.ts'
import { landingPage } from './http/landing-page.ts'
import { meRoute } from './http/me.ts'
import { openApi, openApiRoute } from './http/openapi.ts'
import { protectedResource } from './http/protected-resource.ts'
import { referencePage } from './http/reference-page.ts'
import { createServer } from './http/server.ts'
import { documents } from './http/validation/parts.ts'
import { webConsole } from './http/web/plugin.ts'
import { createReadCard } from './imports/cards/import-card.ts'
import { cardRoutes } from './imports/cards/routes.ts'
import { IMPORTS_PATH, importRoutes } from './imports/routes.ts'
import { createImports } from './imports/service.ts'
import { MCP_PATH, MCP_SCOPES, mcpRoutes } from './mcp/routes.ts'
import { close } from './platform/close.ts'
import { type Backlog, readBacklog, readEpoch } from './platform/events/outbox.ts'
import { notifyAfterWrites } from './platform/events/outbox-notifier.ts'
import { createExports } from './platform/exports.ts'
import type { Refusal } from './platform/identity/identity.ts'
import { createSampler, type Sampler } from './platform/observe/sampler.ts'
import { withTimeout } from './platform/with-timeout.ts'
import { mountRoutes } from './services/mount/routes.ts'
import { serviceRoutes } from './services/routes.ts'
import { setRoutes } from './sets/routes.ts'
import { createSets } from './sets/service.ts'
import { rememberUsers } from './users/remember.ts'
import { userRoutes } from './users/routes.ts'
import { createUsers } from './users/service.ts'
import { viewRoutes } from './views/routes.ts'
import { createViews } from './views/service.ts'
import { startBroadcaster } from './watch/broadcaster.ts'
import { watchRoutes } from './watch/routes.ts'
import { createWatch } from './watch/service.ts'

const SCHEMAS = [
  ...AGENT_SCHEMAS,
  ...HISTORY_SCHEMAS,
  AgentPage,
  AgentFacets,
  ExportedAgent,
  AgentLifecycle,
  ...DELEGATION_SCHEMAS,
  ...BULK_SCHEMAS,
  ...IMPORT_SCHEMAS,
  ...EVALUATION_SCHEMAS,
  ...REQUEST_BUDGET_SCHEMAS,
  ...AGENT_CARD_SCHEMAS,
  ...VIEW_SCHEMAS,
  ...CONFIGURATION_SET_SCHEMAS,
  ...AUDIT_SCHEMAS,
  ...SECRET_SCHEMAS,
  AgentEvent,
  EvolutionStatus,
  EvolutionError,
  Genome,
  ...SERVICE_SCHEMAS,
  Me,
  ...USER_SCHEMAS,
  ValidationError,
  HTTPValidationError,
  ProblemBody,
]

/** The only place that wires the parts together. */
export async function buildApp(deps: Deps) {
  const { database, identity, evolution, events, services, shutdown, metrics, log, web } = deps
  // For writes that insert into the outbox: notifies the relays after each write.
  const notifyingDatabase = events ? notifyAfterWrites(database, database.system, log) : database
  // The server ends streams before it waits for open requests, and closes the rest after them.
  const streams = new AsyncDisposableStack()
  const opened = new AsyncDisposableStack()
  const sample = <Value>(read: () => Promise<Value>) => opened.adopt(createSampler(read), close)
  const backlog = sample(() => readBacklog(database.system))
  const databaseState = sample(database.state)
  const agentCounts = sample(() => estimateAgents(database.system))
  metrics.observeAgents(agentCounts.latest)
  metrics.observeBacklog(backlog.latest)
  metrics.observeDatabase({ statistics: database.statistics, state: databaseState.latest })
  if (events) metrics.observeNats(events.nats.isUp)
  metrics.observeIssuer(identity.issuerState)
  if (identity.revocations) metrics.observeRevocations(identity.revocations)
  const exports = streams.adopt(createExports(), close)
  const audit = opened.adopt(
    createAudit({
      ...deps,
      sql: database,
      system: database.system,
      searches: database.searches,
      exports,
    }),
    close,
  )
  const users = opened.adopt(createUsers({ ...deps, sql: database, system: database.system }), close)
  const recordRefusal = (refusal: Refusal) => {
    users.remember(refusal.caller)
    return audit.recordRefusal(refusal)
  }
  const app = await createServer({ ...deps, schemas: SCHEMAS, recordRefusal })
  const budgets = new RequestBudgets({ ...deps, sql: database })
  const broadcaster =
    events &&
    streams.adopt(
      startBroadcaster(
        events.stream,
        log,
        () => readEpoch(database.system),
        ({ teamId, agentId }) => budgets.forget(teamId, agentId),
      ),
      close,
    )
  app.addHook('preClose', () => streams.disposeAsync())
  app.addHook('onClose', () => opened.disposeAsync())
  const history = createHistory({ ...deps, sql: notifyingDatabase })
  const agents = createAgents({ ...deps, sql: notifyingDatabase, history })

  await app.register(openApi)
  await app.register(rememberUsers, users)
  await app.register(configurationRoutes, { agents, history })
  const listDeps = {
    reads: database,
    searches: database.searches,
    exports,
    recordExport: audit.recordExport,
  }
  const list = createAgentList(listDeps)
  await app.register(listRoutes, {
    list,
    facets: createFacets(listDeps),
    exportAgents: createAgentExport(listDeps),
  })
  await app.register(historyRoutes, { history, redact: createRedact({ ...deps, sql: database }) })
  const lifecycle = createLifecycle({ ...deps, sql: notifyingDatabase })
  await app.register(lifecycleRoutes, { lifecycle })
  await app.register(bulkRoutes, {
    bulk: createBulk({
      ...deps,
      sql: database,
      searches: database.searches,
      agents,
      lifecycle,
      recordRefusal: (caller, permission, agentId) =>
        recordRefusal({ caller, permission, agentId, method: 'POST', route: BULK_PATH }),
    }),
  })
  const cardDeps = { documents, get: deps.outbound.get }
  await app.register(importRoutes, {
    imports: createImports({
      ...deps,
      sql: database,
      agents,
      rows: app.validateParts(AgentImportRow),
      request: app.validateParts(ImportRequestBody),
      readCard: createReadCard({ ...deps, ...cardDeps }),
      recordRefusal: (caller, permission, agentId) =>
        recordRefusal({ caller, permission, agentId, method: 'POST', route: IMPORTS_PATH }),
    }),
  })
  const evaluations = createEvaluations({ ...deps, sql: database, searches: database.searches })
  await app.register(evaluationRoutes, { evaluations })
  await app.register(requestBudgetRoutes, { budgets })
  await app.register(delegationRoutes, {
    delegation: createDelegationGraph({ ...deps, sql: database.searches }),
  })
  await app.register(secretRoutes, {
    readSecrets: createReadSecrets({ ...deps, sql: database }),
    namedSecrets: createNamedSecrets({ ...deps, sql: notifyingDatabase }),
  })
  await app.register(watchRoutes, { watch: createWatch({ ...deps, broadcaster, stream: events?.stream }) })
  await app.register(cardRoutes, { ...deps, ...cardDeps, agents })
  await app.register(viewRoutes, { views: createViews({ ...deps, sql: database }) })
  await app.register(setRoutes, {
    sets: createSets({
      ...deps,
      sql: notifyingDatabase,
      searches: database.searches,
    }),
  })
  await app.register(auditRoutes, { audit })
  await app.register(userRoutes, { users })
  await app.register(evolutionRoutes, { evolution: createEvolutionClient(evolution) })
  await app.register(healthRoutes, {
    shutdown,
    dependencies: {
      database: async () => (await database.state()).state,
      issuer: identity.issuerState,
      ...(identity.revocations ? { revocations: identity.revocations.state } : {}),
      ...(evolution ? { evolution: evolution.state } : {}),
    },
    delivery: () => readDelivery(deps, backlog),
    countedBy: () => budgets.countedBy(),
  })
  await app.register(meRoute)
  await app.register(serviceRoutes, { statuses: services.statuses })
  await app.register(openApiRoute, { onReady: services.start, getDocument: services.document })
  await app.register(asyncApiRoute, {
    document: describeEvents(API_VERSION, events?.stream.subjectPrefix ?? DEFAULT_SUBJECT_PREFIX),
  })
  await app.register(mcpRoutes, {
    ...{ ...deps, version: API_VERSION },
    recordRefusal: (caller, permission, agentId) =>
      recordRefusal({ caller, permission, agentId, method: 'POST', route: MCP_PATH }),
    agents,
    history,
    evaluations,
    list,
    bodyCheck: app.bodyCheck,
    checkReason,
  })
  await app.register(protectedResource, {
    ...{ ...deps, issuer: identity.issuer },
    resources: [
      { path: '', name: 'Agent Console', scopes: PERMISSIONS },
      { path: MCP_PATH, name: 'Agent Console for MCP clients', scopes: MCP_SCOPES },
    ],
  })
  await app.register(jwksRoute, { publicKeys: deps.signer.publicKeys })
  if (web) await app.register(webConsole, { ...web, ...deps, issuer: identity.issuer })
  else await app.register(landingPage, { version: API_VERSION })
  await app.register(referencePage)
  await app.register(mountRoutes, {
    ...services.mount,
    takePermit: (call) => budgets.takeForCall(call),
    recordCall: (call) => {
      users.remember(call.caller)
      audit.recordCall(call)
    },
  })
  return app
}

/** Orchestrators treat a slow health check as a failure. */
const BACKLOG_TIMEOUT_MS = 500

/** The relay needs less than this to deliver the events of a burst of writes. */
const BEHIND_SECONDS = 10

async function readDelivery({ events, database }: Deps, sampler: Sampler<Backlog>): Promise<DeliveryState> {
  if (!events) return { state: 'off' }
  // The state first: it returns within its own time limit even if the database hangs.
  const isUp = (await database.state()).state !== 'down'
  const backlog = isUp ? await tryRead(sampler) : undefined
  if (!backlog) return { state: 'unknown' }
  const isBehind = backlog.oldestSeconds > BEHIND_SECONDS
  return {
    state: backlog.diverged ? 'diverged' : isBehind ? 'behind' : 'current',
    waiting: backlog.waiting,
    oldest_seconds: Math.round(backlog.oldestSeconds),
  }
}

function tryRead<Value>({ read }: Sampler<Value>): Promise<Value | undefined> {
  return withTimeout(
    BACKLOG_TIMEOUT_MS,
    read().catch(() => undefined),
    undefined,
  )
}

export type App = Awaited<ReturnType<typeof buildApp>>
