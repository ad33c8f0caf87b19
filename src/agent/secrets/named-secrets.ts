import type { Caller } from '../../api/caller.ts'
import { Problem, RequestValidationError, valueError } from '../../api/problem.ts'
import type { Core } from '../../core.ts'
import { named } from '../../platform/postgres/sql.ts'
import { type Change, changeAgent, type NamedSecrets, type StoredAgent } from '../change.ts'
import type { NamedSecretWrite } from '../change-statement.ts'
import { findReference } from './inspect.ts'
import { MAX_NAMED_SECRETS, type NamedSecret, namedField } from './schema.ts'
import { toSecretChange, UNKNOWN_MASK } from './secret-change.ts'

// The secrets that a client names. Each change makes a revision of the agent.

export async function listNamedSecrets(
  { database }: Core,
  { teamId }: Caller,
  id: string,
): Promise<NamedSecret[]> {
  const [row] = await database
    .of(teamId)
    .read<{ named_secrets: NamedSecrets | null }>(named('find-named-secrets')`
SELECT named_secrets FROM agents WHERE team_id = ${teamId} AND id = ${id}`)
  if (!row) throw new Problem('agent_not_found')
  return Object.entries(row.named_secrets ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, entry]) => ({ name, ...entry }))
}

/** Also returns the revision of the agent. The same value again makes no revision. */
export async function putNamedSecret(
  core: Core,
  caller: Caller,
  id: string,
  { name, value }: { name: string; value: string },
  expectedRevisions: number[] | null,
): Promise<{ secret: NamedSecret; revision: number }> {
  const { teamId } = caller
  const place = { teamId, agentId: id, field: namedField(name) }
  const change = toSecretChange(core.secrets, place, value)
  const [stored] =
    change.action === 'set'
      ? await core.database.of(teamId).read<{ fingerprint: Buffer }>(named('find-secret-fingerprint')`
SELECT fingerprint FROM agent_secrets WHERE team_id = ${teamId} AND agent_id = ${id} AND name = ${name}`)
      : []
  const isSame =
    change.action === 'set' && stored && change.fingerprints.some((each) => each.equals(stored.fingerprint))
  let entry: Entry | undefined
  const { revision } = await changeAgent(core, { caller, id, expectedRevisions }, (agent) => {
    const current = entryOf(agent, name)
    entry = current
    if (change.action === 'match' && change.mask !== current?.mask) throw unknownMask()
    if (change.action !== 'set' || (current && isSame)) return undefined
    if (!current && Object.keys(agent.namedSecrets).length >= MAX_NAMED_SECRETS) {
      throw new Problem('too_many_secrets')
    }
    const { mask, sealed, fingerprints } = change
    entry = { mask, revision: agent.nextRevision }
    return toChange(agent, name, entry, { name, sealed, fingerprint: fingerprints[0] as Buffer })
  })
  return { secret: { name, ...(entry as Entry) }, revision }
}

/** Returns the revision of the agent. */
export async function deleteNamedSecret(
  core: Core,
  caller: Caller,
  id: string,
  name: string,
  expectedRevisions: number[] | null,
): Promise<number> {
  const { revision } = await changeAgent(core, { caller, id, expectedRevisions }, (agent) => {
    if (!entryOf(agent, name)) throw new Problem('secret_not_found')
    const place = findReference(agent.agent, name)
    if (place !== undefined) {
      throw new Problem('secret_in_use', {
        detail: `${place} refers to this secret. Remove the reference first.`,
      })
    }
    return toChange(agent, name, null, { name, sealed: null })
  })
  return revision
}

type Entry = Omit<NamedSecret, 'name'>

/** Undefined if the agent has no such secret. The name may be that of a member of every object, such as
 * `constructor`. */
function entryOf({ namedSecrets }: StoredAgent, name: string): Entry | undefined {
  return Object.hasOwn(namedSecrets, name) ? namedSecrets[name] : undefined
}

function toChange(agent: StoredAgent, name: string, entry: Entry | null, secret: NamedSecretWrite): Change {
  const { [name]: _, ...others } = agent.namedSecrets
  const all = entry ? { ...others, [name]: entry } : others
  const field = namedField(name)
  return {
    action: 'updated',
    fields: [field],
    before: { [field]: entryOf(agent, name) ?? null },
    columns: { named_secrets: Object.keys(all).length > 0 ? all : null },
    secret,
  }
}

function unknownMask(): RequestValidationError {
  return new RequestValidationError([valueError(['body', 'value'], UNKNOWN_MASK)])
}
