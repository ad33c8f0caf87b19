import { BULK_PATH, bulkRoutes } from './agents/bulk/routes.ts'
import { createBulk } from './agents/bulk/service.ts'
import { configurationRoutes } from './agents/configuration/routes.ts'
import { createAgents } from './agents/configuration/service.ts'
import { delegationRoutes } from './agents/delegation/routes.ts'
import { createDelegationGraph } from './agents/delegation/service.ts'
import { evaluationRoutes } from './agents/evaluations/routes.ts'
import { createEvaluations } from './agents/evaluations/service.ts'
import { createRedact } from './agents/history/redact.ts'
import { historyRoutes } from './agents/history/routes.ts'
import { createHistory } from './agents/history/service.ts'
import { lifecycleRoutes } from './agents/lifecycle/routes.ts'
import { createLifecycle } from './agents/lifecycle/service.ts'
import { createAgentExport } from './agents/list/export.ts'
import { createFacets } from './agents/list/facets.ts'
import { createFilterTableCheck } from './agents/list/readiness.ts'
import { listRoutes } from './agents/list/routes.ts'
import { createAgentList } from './agents/list/service.ts'
import { createNamedSecrets } from './agents/secrets/named-secrets.ts'
import { secretRoutes } from './agents/secrets/routes.ts'
import { createReadSecrets } from './agents/secrets/service.ts'
import { auditRoutes } from './audit/routes.ts'
import { createAudit } from './audit/service.ts'
import { AGENT_SCHEMAS } from './contract/agent.ts'
import { SECRET_SCHEMAS } from './contract/agent-secrets.ts'
import { DEFAULT_SUBJECT_PREFIX, describeEvents } from './contract/asyncapi.ts'
import { AUDIT_SCHEMAS } from './contract/audit.ts'
import { BULK_SCHEMAS } from './contract/bulk.ts'
import { DELEGATION_SCHEMAS } from './contract/delegation.ts'
import { EVALUATION_SCHEMAS } from './contract/evaluation.ts'
import { AgentEvent } from './contract/events.ts'
import { EvolutionError, EvolutionStatus, Genome } from './contract/evolution.ts'
import { ExportedAgent } from './contract/export.ts'
import { AgentFacets } from './contract/facets.ts'
import { HISTORY_SCHEMAS } from './contract/history.ts'
import { AgentLifecycle } from './contract/lifecycle.ts'
import { AgentPage } from './contract/list.ts'
import { Me } from './contract/me.ts'
import { ProblemBody } from './contract/problem.ts'
import { SERVICE_SCHEMAS } from './contract/service.ts'
import { USER_SCHEMAS } from './contract/user.ts'
import { HTTPValidationError, ValidationError } from './contract/validation-error.ts'
import { VIEW_SCHEMAS } from './contract/view.ts'
import type { Deps } from './deps.ts'
import { createEvolutionClient } from './evolution/client.ts'
import { evolutionRoutes } from './evolution/routes.ts'
import { asyncApiRoute } from './http/asyncapi.ts'
import { type DeliveryState, healthRoutes } from './http/health.ts'
import { jwksRoute } from './http/jwks.ts'
import { landingPage } from './http/landing-page.ts'
import { meRoute } from './http/me.ts'
import { API_VERSION, openApi, openApiRoute } from './http/openapi.ts'
import { protectedResource } from './http/protected-resource.ts'
import { referencePage } from './http/reference-page.ts'
import { createServer } from './http/server.ts'
import { webConsole } from './http/web/plugin.ts'
import { createExports } from './platform/exports.ts'
import type { Refusal } from './platform/identity.ts'
import { type Backlog, readBacklog, readEpoch } from './platform/outbox.ts'
import { notifyAfterWrites } from './platform/outbox-notifier.ts'
import { createSampler, type Sampler } from './platform/sampler.ts'
import { withTimeout } from './platform/with-timeout.ts'
import { mountRoutes } from './services/mount/routes.ts'
import { serviceRoutes } from './services/routes.ts'
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
  ...EVALUATION_SCHEMAS,
  ...VIEW_SCHEMAS,
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
  const { database, identity, evolution, events, services, shutdown, metrics, log, hasReference, web } = deps
  // For writes that insert into the outbox: notifies the relays after each write.
  const notifyingDatabase = events ? notifyAfterWrites(database, database.system, log) : database
  const backlog = createSampler(() => readBacklog(database.system))
  const databaseState = createSampler(database.state)
  metrics.observeBacklog(backlog.latest)
  metrics.observeDatabase({ statistics: database.statistics, state: databaseState.latest })
  if (events) metrics.observeNats(events.nats.isUp)
  if (identity.revocations) metrics.observeRevocations(identity.revocations)
  const exports = createExports({ queue: deps.lanes.searches })
  const audit = createAudit({
    ...deps,
    sql: database,
    system: database.system,
    searches: database.searches,
    exports,
  })
  const users = createUsers({ ...deps, sql: database, system: database.system })
  const recordRefusal = (refusal: Refusal) => {
    users.remember(refusal.caller)
    return audit.recordRefusal(refusal)
  }
  const app = await createServer({ ...deps, schemas: SCHEMAS, recordRefusal })
  const broadcaster = events && startBroadcaster(events.stream, log, () => readEpoch(database.system))
  app.addHook('preClose', async () => {
    exports.close()
    await broadcaster?.close()
  })
  app.addHook('onClose', async () => {
    backlog.close()
    databaseState.close()
    await Promise.all([audit.close(), users.close()])
  })
  const history = createHistory({ ...deps, sql: notifyingDatabase })
  const agents = createAgents({ ...deps, sql: notifyingDatabase, history })

  await app.register(openApi)
  await app.register(rememberUsers, users)
  await app.register(configurationRoutes, { agents, history })
  const listDeps = {
    ...{ reads: database, searches: database.searches, exports, recordExport: audit.recordExport },
    requireFilterTable: createFilterTableCheck(database.searches),
  }
  await app.register(listRoutes, {
    list: createAgentList(listDeps),
    facets: createFacets(listDeps),
    exportAgents: createAgentExport(listDeps),
  })
  await app.register(historyRoutes, { history, redact: createRedact({ ...deps, sql: database }) })
  const lifecycle = createLifecycle({ ...deps, sql: notifyingDatabase })
  await app.register(lifecycleRoutes, { lifecycle })
  await app.register(bulkRoutes, {
    bulk: createBulk({
      ...{ ...deps, ...listDeps, agents, lifecycle, sql: database },
      recordRefusal: (caller, permission, agentId) =>
        recordRefusal({ caller, permission, agentId, method: 'POST', route: BULK_PATH }),
    }),
  })
  await app.register(evaluationRoutes, {
    evaluations: createEvaluations({ ...deps, sql: database, searches: database.searches }),
  })
  await app.register(delegationRoutes, {
    delegation: createDelegationGraph({ ...deps, sql: database.searches }),
  })
  await app.register(secretRoutes, {
    readSecrets: createReadSecrets({ ...deps, sql: database }),
    namedSecrets: createNamedSecrets({ ...deps, sql: notifyingDatabase }),
  })
  await app.register(watchRoutes, { watch: createWatch({ ...deps, broadcaster, stream: events?.stream }) })
  await app.register(viewRoutes, { views: createViews({ ...deps, sql: database }) })
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
  })
  await app.register(meRoute)
  await app.register(serviceRoutes, { statuses: services.statuses })
  await app.register(openApiRoute, { onReady: services.start, getDocument: services.document })
  await app.register(asyncApiRoute, {
    document: describeEvents(API_VERSION, events?.stream.subjectPrefix ?? DEFAULT_SUBJECT_PREFIX),
  })
  await app.register(protectedResource, { ...deps, issuer: identity.issuer })
  await app.register(jwksRoute, { publicKeys: deps.signer.publicKeys })
  if (web) await app.register(webConsole, { ...web, ...deps, issuer: identity.issuer })
  else await app.register(landingPage, { version: API_VERSION, hasReference })
  if (hasReference) await app.register(referencePage)
  await app.register(mountRoutes, {
    ...services.mount,
    requestMemory: deps.requestMemory,
    recordCall: (call) => {
      users.remember(call.caller)
      audit.recordCall(call)
    },
  })
  app.registerMethodNotAllowed()
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
