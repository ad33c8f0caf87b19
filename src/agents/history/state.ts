import { isDeepStrictEqual } from 'node:util'
import type { Agent } from '../../contract/agent.ts'
import { namedField } from '../../contract/agent-secrets.ts'
import { type AgentComparison, type AgentDiff, NOT_COMPARED } from '../../contract/history.ts'
import type { NamedSecrets } from '../change-agent.ts'
import type { PastAgent } from './past-agent.ts'

/** An agent at one of its revisions, with masked secrets. */
export interface AgentState extends Omit<PastAgent, 'text' | 'named_secrets' | 'undone_secrets'> {
  agent: Agent
  /** The named secrets; null for one that the agent did not have. */
  secrets: Map<string, NamedSecrets[string] | null>
}

export function stateOf({
  text,
  named_secrets: next,
  undone_secrets: undone,
  ...rest
}: PastAgent): AgentState {
  return {
    ...rest,
    agent: JSON.parse(text) as Agent,
    secrets: new Map(Object.entries({ ...next, ...undone })),
  }
}

/** What tells whether a field differs. */
export type ComparedState = Pick<
  AgentState,
  'agent' | 'api_key_revision' | 'github_token_revision' | 'redacted'
>

type Field = keyof Agent

/** The differences between two revisions of one agent. */
export function changesBetween(before: AgentState, after: AgentState): AgentDiff['changes'] {
  const fields = (Object.keys(after.agent) as Field[])
    .filter((field) => hasChanged(field, before, after))
    .map((field) => ({ field: field as string, old: before.agent[field], new: after.agent[field] }))
  // The revision tells whether a secret has changed: two can have the same mask.
  const secrets = namesOf(before, after)
    .filter((name) => before.secrets.get(name)?.revision !== after.secrets.get(name)?.revision)
    .map((name) => ({ field: namedField(name), old: maskOf(before, name), new: maskOf(after, name) }))
  return [...fields, ...secrets]
}

/** The differences between two agents. Fingerprints of secrets are bound to their agent, so that only masks can be
 * compared. */
export function differencesBetween(one: AgentState, other: AgentState): AgentComparison['differences'] {
  const fields = (Object.keys(one.agent) as Field[])
    .filter((field) => !NOT_COMPARED.includes(field) && differs(field, one, other))
    .map((field) => ({ field: field as string, value: one.agent[field], with_value: other.agent[field] }))
  const secrets = namesOf(one, other)
    .map((name) => ({ field: namedField(name), value: maskOf(one, name), with_value: maskOf(other, name) }))
    .filter(({ value, with_value: withValue }) => value !== withValue)
  return [...fields, ...secrets]
}

/** A secret may have changed and still have the same mask. */
export function hasChanged(field: Field, a: ComparedState, b: ComparedState): boolean {
  if (field === 'updated_at') return false
  if (field === 'api_key' && a.api_key_revision !== b.api_key_revision) return true
  if (field === 'white_box_config' && a.github_token_revision !== b.github_token_revision) return true
  return differs(field, a, b)
}

/** Of a value that was removed from history only this is known. */
function differs(field: Field, a: ComparedState, b: ComparedState): boolean {
  return (
    a.redacted.includes(field) !== b.redacted.includes(field) ||
    !isDeepStrictEqual(a.agent[field], b.agent[field])
  )
}

const namesOf = (a: AgentState, b: AgentState) =>
  [...new Set([...a.secrets.keys(), ...b.secrets.keys()])].toSorted()

const maskOf = ({ secrets }: AgentState, name: string) => secrets.get(name)?.mask ?? null
