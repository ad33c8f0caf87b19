import type { AgentUpdate } from '../contract/agent.ts'
import { SecretText } from '../platform/secret-text.ts'
import { isMaskShaped, maskSecret, type SecretPlace, type Secrets } from '../platform/secrets.ts'

/** What a write does to a secret. */
export type SecretChange =
  | { action: 'keep' }
  | { action: 'clear' }
  /** Keeps the secret, provided that this is the mask it has now: the caller wrote it back. Null where it is to be
   * none. */
  | { action: 'match'; mask: string | null }
  | { action: 'set'; secret: SecretText; mask: string; sealed: Buffer; fingerprints: Buffer[] }

export interface SecretChanges {
  api_key: SecretChange
  github_token: SecretChange
}

/** Where each secret stands in a body, for a fault that names it. */
export const SECRET_LOCATIONS = {
  api_key: ['body', 'api_key'],
  github_token: ['body', 'white_box_config', 'github_token'],
} as const satisfies Record<keyof SecretChanges, string[]>

export function readSecretChanges(
  secrets: Secrets,
  place: Omit<SecretPlace, 'field'>,
  change: AgentUpdate,
): SecretChanges {
  const to = (field: string, value: string | null | undefined) =>
    toChange(secrets, { ...place, field }, value)
  return {
    api_key: to('api_key', change.api_key),
    // The configuration is replaced whole: one that comes without its token has none.
    github_token: to(
      'github_token',
      change.white_box_config === undefined ? undefined : (change.white_box_config?.github_token ?? null),
    ),
  }
}

function toChange(secrets: Secrets, place: SecretPlace, value: string | null | undefined): SecretChange {
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

/** The configuration as it is stored and shown: with the mask in the token's place. */
export function withTokenMasked(
  config: AgentUpdate['white_box_config'],
  change: SecretChange,
): AgentUpdate['white_box_config'] {
  return config && change.action === 'set' ? { ...config, github_token: change.mask } : config
}
