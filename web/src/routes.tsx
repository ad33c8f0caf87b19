import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { historySearch } from './agent/history/search.ts'
import { auditSearch } from './audit/search.ts'
import { fleetSearch } from './fleet/search.ts'
import { lifecycleSearch } from './lifecycle/search.ts'
import { parseSearch, type Search, stringifySearch } from './shared/search.ts'
import { NotFound, type PageData, PageFailed, PagePending, Shell } from './shell/shell.tsx'

const data = (title: string, needs: PageData['needs'], what: string): { staticData: PageData } => ({
  staticData: { title, needs, what },
})

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound })

// One row per page: path, search parser, lazy page, title, permission and what it is for.
const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/agents', replace: true })
  },
})
const fleet = createRoute({
  getParentRoute: () => root,
  path: 'agents',
  validateSearch: fleetSearch,
  component: lazyRouteComponent(() => import('./fleet/page.tsx'), 'FleetPage'),
  ...data('Fleet', 'agent:read', 'see the agents'),
})
const create = createRoute({
  getParentRoute: () => root,
  path: 'agents/new',
  component: lazyRouteComponent(() => import('./agent/create/page.tsx'), 'CreatePage'),
  ...data('New agent', 'agent:write', 'create agents'),
})
const agent = createRoute({
  getParentRoute: () => root,
  path: 'agents/$id',
  component: lazyRouteComponent(() => import('./agent/page.tsx'), 'AgentPage'),
  ...data('Agent', 'agent:read', 'see the agents'),
})
const overview = createRoute({
  getParentRoute: () => agent,
  path: '/',
  component: lazyRouteComponent(() => import('./agent/overview/page.tsx'), 'OverviewPage'),
  ...data('Overview', 'agent:read', 'see the agents'),
})
const configuration = createRoute({
  getParentRoute: () => agent,
  path: 'configuration',
  component: lazyRouteComponent(() => import('./agent/configuration/page.tsx'), 'ConfigurationPage'),
  ...data('Configuration', 'agent:read', 'see the agents'),
})
const secrets = createRoute({
  getParentRoute: () => agent,
  path: 'secrets',
  component: lazyRouteComponent(() => import('./agent/secrets/page.tsx'), 'SecretsPage'),
  ...data('Secrets', 'agent:read', 'see the agents'),
})
const history = createRoute({
  getParentRoute: () => agent,
  path: 'history',
  validateSearch: historySearch,
  component: lazyRouteComponent(() => import('./agent/history/page.tsx'), 'HistoryPage'),
  ...data('History', 'agent:read', 'see the agents'),
})
const scores = createRoute({
  getParentRoute: () => agent,
  path: 'scores',
  component: lazyRouteComponent(() => import('./agent/scores/page.tsx'), 'ScoresPage'),
  ...data('Scores', 'agent:read', 'see the agents'),
})
const delegation = createRoute({
  getParentRoute: () => agent,
  path: 'delegation',
  component: lazyRouteComponent(() => import('./agent/delegation/page.tsx'), 'DelegationPage'),
  ...data('Delegation', 'agent:read', 'see the agents'),
})
const activity = createRoute({
  getParentRoute: () => agent,
  path: 'activity',
  component: lazyRouteComponent(() => import('./agent/activity/page.tsx'), 'ActivityPage'),
  ...data('Activity', 'agent:read', 'see the agents'),
})
const evolution = createRoute({
  getParentRoute: () => agent,
  path: 'evolution',
  component: lazyRouteComponent(() => import('./agent/evolution/page.tsx'), 'EvolutionPage'),
  ...data('Evolution', 'agent:read', 'see the agents'),
})
const lifecycle = createRoute({
  getParentRoute: () => root,
  path: 'lifecycle',
  validateSearch: lifecycleSearch,
  component: lazyRouteComponent(() => import('./lifecycle/page.tsx'), 'LifecyclePage'),
  ...data('Lifecycle', 'agent:read', 'see the agents'),
})
const services = createRoute({
  getParentRoute: () => root,
  path: 'services',
  component: lazyRouteComponent(() => import('./services/page.tsx'), 'ServicesPage'),
  ...data('Services', 'service:read', 'see the services'),
})
const audit = createRoute({
  getParentRoute: () => root,
  path: 'audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('./audit/page.tsx'), 'AuditPage'),
  ...data('Audit', 'audit:read', 'read the audit log'),
})

export const router = createRouter({
  basepath: '/console',
  routeTree: root.addChildren([
    start,
    fleet,
    create,
    agent.addChildren([overview, configuration, secrets, history, scores, delegation, activity, evolution]),
    lifecycle,
    services,
    audit,
  ]),
  parseSearch,
  stringifySearch: (search: Search) => stringifySearch(search),
  defaultPendingComponent: PagePending,
  defaultErrorComponent: PageFailed,
  defaultPendingMs: 200,
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
  interface StaticDataRouteOption extends Partial<PageData> {}
}
