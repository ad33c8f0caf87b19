import { auditOrigin } from '../../agent/audit-event.ts'
import { lockAgent } from '../../agent/change.ts'
import type { SetKey } from '../../agent/change-statement.ts'
import type { Caller } from '../../api/caller.ts'
import { Problem } from '../../api/problem.ts'
import type { Core } from '../../core.ts'
import type { Statements } from '../../platform/postgres/database.ts'
import { type Binding, findBinding, findBindingsOf, findFull, writeBinding } from './queries.ts'
import { isNullableField, type ManagedAgentResult, type ManagedAgentWrite, SPEC_FIELDS } from './schema.ts'
import { createFromSpec, type Difference, mergeSpec, readSpec } from './spec.ts'

interface ApplyConditions {
  isDryRun: boolean
  /** The agent must be at one of these revisions; null accepts any, and that there is none yet. */
  expectedRevisions: number[] | null
  /** The set must have an agent of the key. */
  mustExist: boolean
  /** The set must have no agent of the key. */
  mustBeNew: boolean
}

interface Applied {
  result: ManagedAgentResult
  /** The set did not have the agent before. */
  isNew: boolean
  credentialWarnings: readonly string[]
}

/** Other requests of the same key may get in the way this often. */
const ATTEMPTS = 5

/** Rolls back the transaction of an attempt whose key has got another agent. */
class KeyTaken extends Error {}

/** Applies the spec of one agent. One transaction locks the agent, then what the sets own of it, and writes the
 * agent with its revision and events and what the set owns. All writers lock in this order. */
export async function applyManagedAgent(
  core: Core,
  caller: Caller,
  name: SetKey,
  write: ManagedAgentWrite,
  conditions: ApplyConditions,
): Promise<Applied> {
  const sql = core.database.of(caller.teamId)
  const by: Caller = { ...caller, via: 'set' }
  const read = { ...write, spec: readSpec(write.spec) }
  for (let attempts = 1; attempts <= ATTEMPTS; attempts++) {
    try {
      const applied = conditions.isDryRun
        ? await tryApply(core, sql, by, name, read, conditions)
        : await sql.transaction((statements) => tryApply(core, statements, by, name, read, conditions))
      if (applied) return applied
    } catch (error) {
      if (!(error instanceof KeyTaken)) throw error
    }
  }
  throw new Problem('agent_busy')
}

/** Undefined if another request of the key got in the way. */
async function tryApply(
  core: Core,
  sql: Statements,
  caller: Caller,
  name: SetKey,
  write: ManagedAgentWrite,
  conditions: ApplyConditions,
): Promise<Applied | undefined> {
  const { teamId } = caller
  const { isDryRun, mustBeNew, mustExist } = conditions
  const stored = await findBinding(sql, teamId, name)
  const bound = stored?.is_live ? stored : undefined
  if (bound && mustBeNew) {
    throw new Problem('revision_stale', {
      detail: 'The configuration set already has an agent of this key.',
    })
  }
  if (bound && write.adopt !== undefined && write.adopt !== bound.agent_id) throw new Problem('agent_bound')
  const id = bound?.agent_id ?? write.adopt
  if (id === undefined && (mustExist || conditions.expectedRevisions)) {
    throw new Problem('revision_stale', { detail: 'The configuration set has no agent of this key.' })
  }
  if (!bound) await refuseFull(sql, teamId, name.set)
  const fields = SPEC_FIELDS.filter((field) => write.spec[field] !== undefined)
  const save = async (
    { agentId, revision, hasChanged }: { agentId: string; revision: number; hasChanged: boolean },
    own: Binding | undefined,
  ) => {
    const isOwnedAlready = own !== undefined && haveSameItems(own.fields, fields)
    const isCurrent = isOwnedAlready && own.applied_revision === revision && !hasDrift(own)
    if (isDryRun || isCurrent) return
    const isWritten = await writeBinding(sql, {
      ...name,
      teamId,
      agentId,
      fields,
      appliedRevision: revision,
      replacedAgentId: stored?.agent_id ?? null,
      nowSeconds: Math.floor(core.now() / 1_000),
      origin: auditOrigin(caller, core.newId()),
      reason: caller.reason,
      isAudited: !hasChanged && !isOwnedAlready,
    })
    if (!isWritten) throw new KeyTaken()
  }

  if (id === undefined) {
    const request = { caller, set: name, spec: write.spec, isDryRun }
    const { credentialWarnings, ...made } = await createFromSpec(core, sql, request)
    await save({ agentId: made.id, revision: made.revision, hasChanged: true }, undefined)
    return { result: toResult(made, []), isNew: true, credentialWarnings }
  }

  if (!isDryRun) await lockAgent(sql, teamId, id)
  const bindings = await findBindingsOf(sql, teamId, id, isDryRun ? 'read' : 'lock')
  const own = bindings.find(({ set }) => set === name.set)
  // Another request has released the agent since, or gave the key to another one.
  if (bound && own?.key !== name.key) return undefined
  if (!bound && own) throw new Problem('agent_bound')
  refuseOwned(bindings, name.set, fields)
  const dropped = (own?.fields ?? []).filter((field) => !fields.includes(field as never))
  const cleared = dropped.filter(isNullableField)
  const { credentialWarnings, ...merged } = await mergeSpec(core, sql, {
    caller,
    set: name,
    id,
    isDryRun,
    expectedRevisions: conditions.expectedRevisions,
    spec: { ...write.spec, ...Object.fromEntries(cleared.map((field) => [field, null])) },
    drift:
      own && hasDrift(own)
        ? { appliedRevision: own.applied_revision, fields: Object.keys(own.drift) }
        : undefined,
    changesOwnership: !own || !haveSameItems(own.fields, fields),
    check: (differences) => refuseConflicts(differences, write.force ?? []),
  })
  await save({ agentId: id, revision: merged.revision, hasChanged: merged.changes.length > 0 }, own)
  const released = dropped.filter((field) => !isNullableField(field))
  return { result: toResult(merged, released), isNew: !bound, credentialWarnings }
}

async function refuseFull(sql: Statements, teamId: string, set: string): Promise<void> {
  const { is_set_full: isSetFull, has_too_many_sets: hasTooManySets } = await findFull(sql, teamId, set)
  if (isSetFull) throw new Problem('set_full')
  if (hasTooManySets) throw new Problem('too_many_sets')
}

const hasDrift = ({ drift }: Binding) => Object.keys(drift).length > 0

const haveSameItems = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((item) => b.includes(item))

function toResult(
  { agent, revision, changes }: Pick<ManagedAgentResult, 'agent' | 'revision' | 'changes'>,
  released: string[],
): ManagedAgentResult {
  return { agent, revision, applied_revision: revision, changes, released }
}

/** Throws if another set owns one of the fields. */
function refuseOwned(bindings: readonly Binding[], set: string, fields: readonly string[]): void {
  const owned = bindings
    .filter((binding) => binding.set !== set)
    .flatMap((binding) =>
      binding.fields
        .filter((field) => fields.includes(field))
        .map((field) => `${field} (by the set ${binding.set})`),
    )
  if (owned.length === 0) return
  throw new Problem('field_owned', {
    detail:
      `Other configuration sets own fields of the spec: ${owned.join(', ')}. Remove each from one of the two ` +
      'sets.',
  })
}

/** Throws if another writer has changed a field since the set applied it, and the spec changes it too. If the spec
 * still has the value that was applied, the field is set back. A secret that another writer has changed is never
 * overwritten without `force`: history cannot bring it back. */
function refuseConflicts(differences: readonly Difference[], force: readonly string[]): void {
  const fields = differences
    .filter(({ field, isDrifted, isApplied }) => isDrifted && !isApplied && !force.includes(field))
    .map(({ field }) => field)
  if (fields.length === 0) return
  throw new Problem('field_drifted', {
    detail:
      'Another writer has changed fields since the set applied them, and the spec changes them too: ' +
      `${fields.join(', ')}. Name ` +
      'them in force to overwrite them, or put their current values into the spec.',
  })
}
