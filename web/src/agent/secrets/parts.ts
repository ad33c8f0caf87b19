import type { Agent, AgentSecrets, AgentUpdate, NamedSecret } from '@agent-console/sdk'
import { API_KEY, fieldLabel, GITHUB_TOKEN } from '../records/fields.ts'

/** A secret of an agent, without its value. */
export interface SecretPart {
  /** As revisions and the audit log name it: `api_key`, `secrets.crm-token`. */
  path: string
  label: string
  /** null: not set. */
  mask: string | null
  /** The revision that set it; undefined: to be found in the history. */
  revision: number | undefined
  /** Its change outdates the evaluation. */
  behaviour: boolean
}

/** The API key and the GitHub token. */
export function fieldSecrets(agent: Agent): [SecretPart, SecretPart] {
  const token = agent.white_box_config?.github_token ?? null
  return [
    { path: API_KEY, label: fieldLabel(API_KEY), mask: agent.api_key, revision: undefined, behaviour: false },
    {
      path: GITHUB_TOKEN,
      label: fieldLabel(GITHUB_TOKEN),
      mask: token,
      revision: undefined,
      behaviour: true,
    },
  ]
}

export function namedSecret({ name, mask, revision }: NamedSecret): SecretPart {
  return { path: `secrets.${name}`, label: name, mask, revision, behaviour: false }
}

/** The name of a named secret; undefined for the two that are fields. */
export function nameOf(path: string): string | undefined {
  return path.startsWith('secrets.') ? path.slice('secrets.'.length) : undefined
}

/** The server gives all secrets at once; the rest is dropped at once. */
export function valueOf(secrets: AgentSecrets, path: string): string | null {
  const name = nameOf(path)
  if (name !== undefined) return secrets.secrets[name] ?? null
  return path === API_KEY ? secrets.api_key : secrets.white_box_config.github_token
}

/** The update that sets or clears a secret which is a field. `white_box_config` is replaced as a whole. */
export function updateOf(agent: Agent, path: string, value: string | null): AgentUpdate {
  if (path === API_KEY) return { api_key: value }
  return { white_box_config: { ...agent.white_box_config, github_token: value } }
}
