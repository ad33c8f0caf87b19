import type { AgentResult } from '@agent-console/sdk'
import { api } from '../../api/client.ts'
import { keys } from '../../api/keys.ts'
import { queryClient } from '../../api/query-client.ts'
import { nameOf, updateOf, valueOf } from './parts.ts'

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
