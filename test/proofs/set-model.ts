import { isDeepStrictEqual } from 'node:util'

/** Configuration sets as the documentation describes them, for one agent, without a database. */

export const FIELDS = ['model_name', 'agent_system_prompt', 'hub', 'purpose', 'skills'] as const
export type Field = (typeof FIELDS)[number]
const NULLABLE: readonly Field[] = ['agent_system_prompt', 'purpose']

export type Values = Partial<Record<Field, unknown>>

export interface Binding {
  fields: Field[]
  applied: number
  drift: Partial<Record<Field, number>>
}

export interface State {
  revision: number
  /** The values at each revision; the first one is that of revision 1. */
  history: Record<Field, unknown>[]
  bindings: Record<string, Binding>
  /** The changed fields and the drifted sets of each revision. */
  events: { fields: Field[]; drifted: string[] }[]
}

interface Conditional {
  ifMatch?: number | undefined
}

export type Operation =
  | ({ kind: 'update'; values: Values } & Conditional)
  | ({ kind: 'apply'; set: string; spec: Values; force: Field[] } & Conditional)
  | { kind: 'release'; set: string }

/** What a client sees of a response. */
export interface Answer {
  status: number
  code?: string
  revision?: number
  changes?: { field: Field; old: unknown; new: unknown; drifted: boolean }[]
  released?: Field[]
}

interface Step {
  state: State
  answer: Answer
}

export function newState(values: Record<Field, unknown>): State {
  return { revision: 1, history: [values], bindings: {}, events: [] }
}

export function step(state: State, operation: Operation): Step {
  if (operation.kind === 'update') return update(state, operation)
  if (operation.kind === 'apply') return apply(state, operation)
  const { [operation.set]: binding, ...bindings } = state.bindings
  const refused = { state, answer: { status: 404, code: 'managed_agent_not_found' } }
  return binding ? { state: { ...state, bindings }, answer: { status: 204 } } : refused
}

const live = ({ history }: State) => history.at(-1) as Record<Field, unknown>

const STALE: Answer = { status: 412, code: 'revision_stale' }

function update(state: State, { values, ifMatch }: Operation & { kind: 'update' }): Step {
  if (ifMatch !== undefined && ifMatch !== state.revision) return { state, answer: STALE }
  const kept = Object.entries(values).filter(
    ([field, value]) => field !== 'skills' && (value !== null || NULLABLE.includes(field as Field)),
  )
  const next = change(state, Object.fromEntries(kept), undefined)
  return { state: next, answer: { status: 200, revision: next.revision } }
}

/** Makes a revision of the values that differ, and notes what it means for the other sets. */
function change(state: State, values: Values, by: string | undefined): State {
  const before = live(state)
  const fields = FIELDS.filter((field) => field in values && !isDeepStrictEqual(values[field], before[field]))
  if (fields.length === 0) return state
  const revision = state.revision + 1
  const drifted: string[] = []
  const bindings = Object.fromEntries(
    Object.entries(state.bindings).map(([set, binding]) => {
      const own = set === by ? [] : fields.filter((field) => binding.fields.includes(field))
      if (own.length > 0) drifted.push(set)
      const drift = { ...binding.drift, ...Object.fromEntries(own.map((field) => [field, revision])) }
      return [set, { ...binding, drift }]
    }),
  )
  const history = [...state.history, { ...before, ...pick(values, fields) }]
  return { revision, history, bindings, events: [...state.events, { fields, drifted: drifted.toSorted() }] }
}

const pick = (values: Values, fields: Field[]) =>
  Object.fromEntries(fields.map((field) => [field, values[field]]))

function apply(state: State, { set, spec, force, ifMatch }: Operation & { kind: 'apply' }): Step {
  const refuse = (status: number, code: string) => ({ state, answer: { status, code } })
  const own = state.bindings[set]
  const fields = FIELDS.filter((field) => field in spec)
  const others = Object.entries(state.bindings).filter(([name]) => name !== set)
  if (others.some(([, binding]) => binding.fields.some((field) => fields.includes(field)))) {
    return refuse(409, 'field_owned')
  }
  if (ifMatch !== undefined && ifMatch !== state.revision) return { state, answer: STALE }
  const dropped = (own?.fields ?? []).filter((field) => !fields.includes(field))
  const cleared = dropped.filter((field) => NULLABLE.includes(field))
  const desired: Values = { ...spec, ...Object.fromEntries(cleared.map((field) => [field, null])) }
  const before = live(state)
  const base = own && state.history[own.applied - 1]
  const differing = FIELDS.filter(
    (field) => field in desired && !isDeepStrictEqual(desired[field], before[field]),
  )
  const isDrifted = (field: Field) =>
    base !== undefined && own?.drift[field] !== undefined && !isDeepStrictEqual(base[field], before[field])
  const isConflict = (field: Field) =>
    isDrifted(field) && !isDeepStrictEqual(desired[field], base?.[field]) && !force.includes(field)
  if (differing.some(isConflict)) return refuse(409, 'field_drifted')
  const next = change(state, desired, set)
  const bindings = { ...next.bindings, [set]: { fields, applied: next.revision, drift: {} } }
  return {
    state: { ...next, bindings },
    answer: {
      status: own ? 200 : 201,
      revision: next.revision,
      changes: differing.map((field) => ({
        ...{ field, old: before[field], new: desired[field], drifted: isDrifted(field) },
      })),
      released: dropped.filter((field) => !NULLABLE.includes(field)),
    },
  }
}

/** A console that is too busy has changed nothing. */
const isRefused = ({ status, code }: Answer) =>
  status === 429 || (status === 503 && code !== 'outcome_unknown')

export interface Done {
  operation: Operation
  answer: Answer
}

/** Whether there is an order of the operations, each actor's own kept, in which the model gives the same answers and ends in a state
 * that `isEnd` accepts. */
export function hasOrder(start: State, scripts: Done[][], isEnd: (state: State) => boolean): boolean {
  const search = (state: State, next: number[]): boolean => {
    if (next.every((index, actor) => index === scripts[actor]?.length)) return isEnd(state)
    return scripts.some((script, actor) => {
      const done = script[next[actor] as number]
      if (!done) return false
      const { state: after, answer } = isRefused(done.answer)
        ? { state, answer: done.answer }
        : step(state, done.operation)
      if (!isDeepStrictEqual(answer, done.answer)) return false
      return search(
        after,
        next.map((index, other) => (other === actor ? index + 1 : index)),
      )
    })
  }
  return search(
    start,
    scripts.map(() => 0),
  )
}
