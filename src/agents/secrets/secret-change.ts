import type { Agent, AgentUpdate } from '../../contract/agent.ts'
import { RequestValidationError } from '../../contract/validation-error.ts'
import { SecretText } from '../../platform/secrets/secret-text.ts'
import { isMaskShaped, maskSecret, type SecretPlace, type Secrets } from '../../platform/secrets/secrets.ts'
import type { StoredAgent } from '../change-agent.ts'
import type { Columns } from '../change-statement.ts'

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
    unknownMasks.map((name) => ({
      loc: [...LOCATIONS[name]],
      msg: `Value error, ${UNKNOWN_MASK}, or null to clear it`,
      type: 'value_error',
    })),
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
