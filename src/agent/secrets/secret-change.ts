import type { Caller } from '../../api/caller.ts'
import { Problem, RequestValidationError, valueError } from '../../api/problem.ts'
import type { Core } from '../../core.ts'
import {
  isMaskShaped,
  maskSecret,
  type SecretPlace,
  type Secrets,
  SecretText,
} from '../../platform/crypto/secrets.ts'
import { named, param, raw, type Statement } from '../../platform/postgres/sql.ts'
import { auditEvent, auditOrigin } from '../audit-event.ts'
import type { StoredAgent } from '../change.ts'
import type { Columns } from '../change-statement.ts'
import type { Agent, AgentUpdate } from '../schema.ts'
import { namedField } from './schema.ts'

/** What a write does to a secret. */
export type SecretChange =
  | { action: 'keep' }
  | { action: 'clear' }
  /** The client sent a mask: keeps the secret if this is its current mask. */
  | { action: 'match'; mask: string }
  | { action: 'set'; secret: SecretText; mask: string; sealed: Buffer; fingerprints: Buffer[] }

export interface SecretChanges {
  api_key: SecretChange
  github_token: SecretChange
}

type SecretName = keyof SecretChanges

/** The `loc` of each secret in a validation error. */
const LOCATIONS = {
  api_key: ['body', 'api_key'],
  github_token: ['body', 'white_box_config', 'github_token'],
} as const satisfies Record<SecretName, string[]>

export function readSecretChanges(
  secrets: Secrets,
  place: Omit<SecretPlace, 'field'>,
  body: AgentUpdate,
): SecretChanges {
  const to = (field: SecretName, value: string | null | undefined) =>
    toSecretChange(secrets, { ...place, field }, value)
  return {
    api_key: to('api_key', body.api_key),
    // The configuration is replaced as a whole: without a token in it, the agent has none.
    github_token: to(
      'github_token',
      body.white_box_config === undefined ? undefined : (body.white_box_config?.github_token ?? null),
    ),
  }
}

export function toSecretChange(
  secrets: Secrets,
  place: SecretPlace,
  value: string | null | undefined,
): SecretChange {
  if (value === undefined) return { action: 'keep' }
  if (value === null) return { action: 'clear' }
  if (isMaskShaped(value)) return { action: 'match', mask: value }
  const secret = new SecretText(value)
  return {
    action: 'set',
    secret,
    mask: maskSecret(secret),
    sealed: secrets.seal(place, secret),
    fingerprints: secrets.fingerprints(place, secret),
  }
}

export const UNKNOWN_MASK = 'this is not the current mask of this agent; send the secret itself'

/** A mask stands for a secret only in the agent that shows it. In any other place the mask would be stored as if
 * it were the secret. */
export function rejectUnknownMasks(changes: SecretChanges, agent?: Agent): void {
  const masks = { api_key: agent?.api_key, github_token: agent?.white_box_config?.github_token }
  const unknownMasks = (Object.keys(LOCATIONS) as SecretName[]).filter((name) => {
    const change = changes[name]
    return change.action === 'match' && change.mask !== masks[name]
  })
  if (unknownMasks.length === 0) return
  throw new RequestValidationError(
    unknownMasks.map((name) => valueError([...LOCATIONS[name]], `${UNKNOWN_MASK}, or null to clear it`)),
  )
}

/** The columns of a secret that a write changes. A secret is stored sealed, so it is compared by its fingerprint. */
export function changedSecret(
  name: SecretName,
  change: SecretChange,
  { fingerprints, nextRevision }: Pick<StoredAgent, 'fingerprints' | 'nextRevision'>,
): Columns {
  const stored = fingerprints[name]
  if (change.action === 'clear' && stored !== null) return secretColumns(name, change, nextRevision)
  if (change.action !== 'set' || change.fingerprints.some((each) => stored?.equals(each))) return {}
  return secretColumns(name, change, nextRevision)
}

export function secretColumns(name: SecretName, change: SecretChange, revision: number): Columns {
  const { mask, sealed, fingerprints } =
    change.action === 'set' ? change : { mask: null, sealed: null, fingerprints: [] }
  return {
    [`${name}_mask`]: mask,
    [`${name}_sealed`]: sealed,
    [`${name}_fingerprint`]: fingerprints[0] ?? null,
    [`${name}_revision`]: sealed && revision,
  }
}

/** The configuration as it is stored: with the mask in place of the token. */
export function withTokenMasked(
  config: AgentUpdate['white_box_config'],
  change: SecretChange,
): AgentUpdate['white_box_config'] {
  return config && change.action === 'set' ? { ...config, github_token: change.mask } : config
}

/** Puts the secrets that this request set into the response in clear text. Other secrets stay masked. */
export function showSupplied(text: string, { api_key, github_token }: SecretChanges): string {
  if (api_key.action !== 'set' && github_token.action !== 'set') return text
  const agent = JSON.parse(text) as Agent
  if (api_key.action === 'set') agent.api_key = api_key.secret.reveal()
  if (github_token.action === 'set') {
    agent.white_box_config = { ...agent.white_box_config, github_token: github_token.secret.reveal() }
  }
  return JSON.stringify(agent)
}

/** The secrets of an agent; null where there is none. */
interface OpenedSecrets {
  api_key: SecretText | null
  github_token: SecretText | null
  named: [name: string, secret: SecretText][]
}

interface SealedSecrets {
  api_key_sealed: Buffer | null
  github_token_sealed: Buffer | null
  /** Of the named secrets. */
  names: string[]
  sealed: Buffer[]
}

export async function readSecrets(
  { database, secrets, now, newId }: Core,
  caller: Caller,
  id: string,
): Promise<OpenedSecrets> {
  const { teamId } = caller
  const [found] = await database
    .of(teamId)
    .write<SealedSecrets>(readStatement(caller, id, Math.floor(now() / 1_000), newId()))
    .catch((error: unknown) => {
      // The audit event may or may not be stored, but nothing was returned or changed: the client can repeat the
      // request.
      if (!(error instanceof Problem) || error.code !== 'outcome_unknown') throw error
      throw new Problem('database_unavailable', { headers: error.headers, cause: error.cause })
    })
  if (!found) throw new Problem('agent_not_found')
  const open = (field: string, bytes: Buffer) => secrets.open({ teamId, agentId: id, field }, bytes)
  const { api_key_sealed: apiKey, github_token_sealed: token, names, sealed } = found
  return {
    api_key: apiKey && open('api_key', apiKey),
    github_token: token && open('github_token', token),
    named: names.map((name, index) => [name, open(namedField(name), sealed[index] as Buffer)]),
  }
}

/** Reads the encrypted secrets of an agent and writes the audit event in the same statement. */
function readStatement(caller: Caller, id: string, nowSeconds: number, eventId: string): Statement {
  const team = param(caller.teamId)
  const agent = param(id)
  return named('read-sealed-secrets')`
WITH found AS (
  SELECT api_key_sealed, github_token_sealed,
    ARRAY(SELECT name FROM agent_secrets WHERE team_id = ${team} AND agent_id = ${agent} ORDER BY name) AS names,
    ARRAY(SELECT sealed FROM agent_secrets WHERE team_id = ${team} AND agent_id = ${agent} ORDER BY name) AS sealed
  FROM agents
  WHERE team_id = ${team} AND id = ${agent}
), audited AS (
  ${auditEvent(auditOrigin(caller, eventId), {
    team,
    at: nowSeconds,
    action: 'secrets_read',
    agent,
    detail: READ_FIELDS,
  })} FROM found
)
SELECT * FROM found`
}

const READ_FIELDS = raw(`json_build_object('fields', array_remove(ARRAY[
    CASE WHEN api_key_sealed IS NOT NULL THEN 'api_key' END,
    CASE WHEN github_token_sealed IS NOT NULL THEN 'white_box_config.github_token' END
  ], NULL) || ARRAY(SELECT '${namedField('')}' || name FROM unnest(names) AS name))`)
