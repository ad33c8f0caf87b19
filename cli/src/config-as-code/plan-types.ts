import type { DesiredAgent } from './desired.ts'

/** What a plan does with an agent. */
export type Action = 'create' | 'update' | 'drift' | 'conflict' | 'invalid' | 'archive' | 'delete'

/** The order in which a plan lists and applies them. */
export const ACTIONS = [
  'create',
  'update',
  'drift',
  'archive',
  'delete',
  'conflict',
  'invalid',
] as const satisfies Action[]

export interface PlannedChange {
  field: string
  old: unknown
  new: unknown
  /** Another writer changed the field, and the plan sets it back. */
  drifted: boolean
  /** Who changed it, and when. null if no other writer did. */
  changed_by: string | null
  changed_at: number | null
}

export interface PlannedSecret {
  /** Such as `white_box_config.github_token`. */
  field: string
  /** Such as `env INVOICE_KEY`. */
  from: string
  changes: boolean
}

/** The part of a plan for one agent, as JSON shows it. */
export interface PlanItem {
  key: string
  action: Action
  /** null: the agent has no file. */
  file: string | null
  agent_id: string | null
  /** The revision that the agent must still have. null: the agent is new. */
  revision: number | null
  changes: PlannedChange[]
  secrets: PlannedSecret[]
  /** Fields that the set begins to own. */
  taken: string[]
  /** Fields that the set no longer owns, and that keep their values. */
  released: string[]
  /** Why it cannot be done. null if it can. */
  reason: string | null
}

export interface Unchanged {
  key: string
  agent_id: string
  revision: number
}

export interface Plan {
  set: string
  url: string
  items: PlanItem[]
  unchanged: Unchanged[]
  /** Keys of agents of the set that have no file and stay, because pruning was not asked for. */
  withoutFile: string[]
}

/** What a plan was made from. */
export type DesiredByKey = ReadonlyMap<string, DesiredAgent>

export const isBlocked = ({ action }: PlanItem): boolean => action === 'conflict' || action === 'invalid'

/** Whether applying the plan would change anything. */
export const isEmpty = ({ items }: Plan): boolean => items.length === 0
