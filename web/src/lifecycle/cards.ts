import type { AgentPage } from '@agent-console/sdk'
import type { InfiniteData } from '@tanstack/react-query'

export const FIELDS = [
  'agent_name',
  'status',
  'protection_status',
  'trust_stage',
  'latest_evaluation',
] as const

export type CardPage = AgentPage<(typeof FIELDS)[number]>
export type Column = InfiniteData<CardPage>

export interface Card {
  agent: CardPage['results'][number]
  revision: number
}

export function cardsOf(column: Column | undefined): Card[] {
  return (column?.pages ?? []).flatMap(({ results, revisions }) =>
    results.map((agent, index) => ({ agent, revision: revisions[index] ?? 0 })),
  )
}

/** Revisions since the evaluated one; undefined where the evaluation does not name it. */
export function behindOf({ agent, revision }: Card): number | undefined {
  const evaluated = agent.latest_evaluation
  if (evaluated?.current === true) return 0
  return typeof evaluated?.revision === 'number' ? revision - evaluated.revision : undefined
}

export function without(column: Column | undefined, id: string): Column | undefined {
  return column && { ...column, pages: column.pages.map((page) => withoutOfPage(page, id)) }
}

function withoutOfPage(page: CardPage, id: string): CardPage {
  const index = page.results.findIndex((agent) => agent.id === id)
  if (index === -1) return page
  return { ...page, results: page.results.toSpliced(index, 1), revisions: page.revisions.toSpliced(index, 1) }
}

/** The card stands on top, where the person who moved it looks for it. */
export function withOnTop(column: Column | undefined, { agent, revision }: Card): Column | undefined {
  const [first, ...rest] = without(column, agent.id)?.pages ?? []
  if (column === undefined || first === undefined) return column
  const page = {
    ...first,
    results: [agent, ...first.results],
    revisions: [revision, ...first.revisions],
  }
  return { ...column, pages: [page, ...rest] }
}
