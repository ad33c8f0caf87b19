import type { Agent, AgentResult, AgentSecrets, AgentUpdate, NamedSecret } from '@agent-console/sdk'
import { api, keys, queryClient } from '../../api/client.ts'
import { API_KEY, fieldLabel, GITHUB_TOKEN } from '../fields/labels.ts'

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

/*
 * Plain functions, not queries and mutations: the caches of those would keep the values.
 */

/** Reads one value in clear text. The audit log records it. */
export async function readSecret(id: string, path: string): Promise<string> {
  const value = valueOf(await api().agents.secrets(id), path)
  void queryClient.invalidateQueries({ queryKey: readersKey(id) })
  if (value === null) throw new Error('The secret is not set any more')
  return value
}

/** Sets a secret, or clears it with null. Returns the new revision. */
export async function writeSecret(
  { agent, revision }: AgentResult,
  path: string,
  value: string | null,
  reason: string | undefined,
): Promise<number> {
  const { agents } = api()
  const options = { ifRevision: revision, reason }
  const name = nameOf(path)
  try {
    if (name === undefined) {
      // The response has the new value in clear text. Only the revision is taken from it.
      return (await agents.update(agent.id, updateOf(agent, path, value), options)).revision
    }
    if (value === null) return (await agents.deleteSecret(agent.id, name, options)).revision
    return (await agents.updateSecret(agent.id, name, value, options)).revision
  } finally {
    // Also after a conflict: the page then shows the newer revision.
    await queryClient.invalidateQueries({ queryKey: keys.one(agent.id) })
  }
}

/** Of the list of those who have read the secrets. */
export function readersKey(id: string): readonly unknown[] {
  return [...keys.one(id), 'secret-readers']
}
