import { Problem } from '../../contract/problem.ts'

/** Why a team does not get something: it has its share, or all teams together have too much. */
export type Refusal = 'own_share' | 'overloaded'

// Created once: a refusal must be cheap, and an error with its own stack trace is not.
const PROBLEMS: Record<Refusal, Problem> = {
  own_share: new Problem('too_many_requests', { headers: { 'retry-after': '1' } }),
  overloaded: new Problem('overloaded', { headers: { 'retry-after': '1' } }),
}

export function refusalProblem(refusal: Refusal): Problem {
  return PROBLEMS[refusal]
}
