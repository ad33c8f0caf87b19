import { type Factory, onScrape } from './factory.ts'

export function observeAgents(create: Factory, latest: () => ReadonlyMap<string, number> | undefined): void {
  const agents = create.gauge(
    'console_agents',
    'Agents of all teams by trust stage, estimated from the statistics of PostgreSQL',
    ['trust_stage'],
  )
  onScrape(agents, () => {
    agents.reset()
    for (const [stage, count] of latest() ?? []) agents.set({ trust_stage: stage }, count)
  })
}
