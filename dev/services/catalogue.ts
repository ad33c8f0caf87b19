import { createEvaluation } from './evaluation/routes.ts'
import type { Demo } from './exchange.ts'
import { createProtection } from './protection/routes.ts'
import { createTeams } from './teams/routes.ts'

interface DemoKind {
  tag: string
  /** The paths that the console lets it have. */
  prefixes: string[]
  document: URL
  create: () => Demo | Promise<Demo>
}

export const DEMOS = {
  teams: {
    tag: 'Teams',
    prefixes: ['/v1/teams'],
    document: new URL('teams/openapi.json', import.meta.url),
    create: createTeams,
  },
  evaluation: {
    tag: 'Evaluation',
    prefixes: ['/v1/evaluations'],
    document: new URL('evaluation/openapi.json', import.meta.url),
    create: createEvaluation,
  },
  protection: {
    tag: 'Protection',
    prefixes: ['/v1/guardrails', '/v1/telemetry'],
    document: new URL('protection/openapi.json', import.meta.url),
    create: createProtection,
  },
} satisfies Record<string, DemoKind>

export type DemoName = keyof typeof DEMOS

export const DEMO_NAMES = Object.keys(DEMOS) as DemoName[]
