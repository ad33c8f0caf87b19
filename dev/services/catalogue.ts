import { createEnvironment } from './environment/routes.ts'
import { createEvaluation } from './evaluation/routes.ts'
import type { Demo, DemoContext } from './exchange.ts'
import { createProtection } from './protection/routes.ts'
import { createRedTeam } from './red-team/routes.ts'
import { createTeams } from './teams/routes.ts'

export interface DemoKind {
  tag: string
  /** The variable of its port in `npm run dev`. */
  portVariable: string
  /** The paths that the console lets it have. */
  prefixes: readonly string[]
  /** The class of its calls to agents in the budget of an agent. */
  budgetPriority?: string
  create: (context: DemoContext) => Demo | Promise<Demo>
}

export const DEMOS = {
  teams: {
    tag: 'Teams',
    portVariable: 'TEAMS_PORT',
    prefixes: ['/v1/teams'],
    create: createTeams,
  },
  evaluation: {
    tag: 'Evaluation',
    portVariable: 'EVALUATION_PORT',
    prefixes: ['/v1/evaluations'],
    budgetPriority: 'evaluation',
    create: createEvaluation,
  },
  protection: {
    tag: 'Protection',
    portVariable: 'PROTECTION_PORT',
    prefixes: ['/v1/guardrails', '/v1/telemetry'],
    budgetPriority: 'protection',
    create: createProtection,
  },
  'red-team': {
    tag: 'Red Team',
    portVariable: 'RED_TEAM_PORT',
    prefixes: ['/v1/campaigns'],
    budgetPriority: 'red_team',
    create: createRedTeam,
  },
  environment: {
    tag: 'Agent Environment',
    portVariable: 'ENVIRONMENT_PORT',
    prefixes: ['/v1/personas', '/v1/policies', '/v1/harnesses'],
    create: createEnvironment,
  },
} as const satisfies Record<string, DemoKind>

export type DemoName = keyof typeof DEMOS

export const DEMO_NAMES = Object.keys(DEMOS) as DemoName[]
