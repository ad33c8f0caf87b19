import { createEnvironment } from './environment/routes.ts'
import { createEvaluation } from './evaluation/routes.ts'
import type { Demo, DemoContext } from './exchange.ts'
import { createProtection } from './protection/routes.ts'
import { createRedTeam } from './red-team/routes.ts'
import { createTeams } from './teams/routes.ts'

interface DemoKind {
  tag: string
  /** The variable of its port in `npm run dev`. */
  portVariable: string
  /** The paths that the console lets it have. */
  prefixes: readonly string[]
  document: URL
  create: (context: DemoContext) => Demo | Promise<Demo>
}

export const DEMOS = {
  teams: {
    tag: 'Teams',
    portVariable: 'TEAMS_PORT',
    prefixes: ['/v1/teams'],
    document: new URL('teams/openapi.json', import.meta.url),
    create: createTeams,
  },
  evaluation: {
    tag: 'Evaluation',
    portVariable: 'EVALUATION_PORT',
    prefixes: ['/v1/evaluations'],
    document: new URL('evaluation/openapi.json', import.meta.url),
    create: createEvaluation,
  },
  protection: {
    tag: 'Protection',
    portVariable: 'PROTECTION_PORT',
    prefixes: ['/v1/guardrails', '/v1/telemetry'],
    document: new URL('protection/openapi.json', import.meta.url),
    create: createProtection,
  },
  'red-team': {
    tag: 'Red Team',
    portVariable: 'RED_TEAM_PORT',
    prefixes: ['/v1/campaigns'],
    document: new URL('red-team/openapi.json', import.meta.url),
    create: createRedTeam,
  },
  environment: {
    tag: 'Agent Environment',
    portVariable: 'ENVIRONMENT_PORT',
    prefixes: ['/v1/personas', '/v1/policies', '/v1/harnesses'],
    document: new URL('environment/openapi.json', import.meta.url),
    create: createEnvironment,
  },
} as const satisfies Record<string, DemoKind>

export type DemoName = keyof typeof DEMOS

export const DEMO_NAMES = Object.keys(DEMOS) as DemoName[]
