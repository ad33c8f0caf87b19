import type { AgentDiff, AgentRevision } from '@agent-console/sdk'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { keys } from '../../api/keys.ts'
import { diffRows } from '../history/diff-rows.ts'
import { fieldOf } from '../records/fields.ts'
import type { SecretPart } from './parts.ts'

/** Older revisions are not searched. */
const SEARCHED = 500
/** Revisions of `white_box_config` that are read to find the one which changed its token. */
const MAX_DIFFS = 8

/** Who set the secret and when. null: longer ago than the search goes back. */
export function setterQuery(id: string, { path, mask, revision }: SecretPart) {
  return queryOptions({
    queryKey: [...keys.one(id), 'secret-setter', path, revision ?? mask],
    queryFn: async ({ signal }): Promise<AgentRevision | null> => {
      const { results } = await api().agents.revisions(id, { limit: SEARCHED }, { signal })
      if (revision !== undefined) return results.find((each) => each.revision === revision) ?? null
      const field = fieldOf(path)
      const candidates = results.filter(
        ({ action, fields }) => action === 'created' || fields.includes(field),
      )
      if (field === path) return candidates[0] ?? null
      for (const candidate of candidates.slice(0, MAX_DIFFS)) {
        if (candidate.revision === 1) return candidate
        const diff = await api().agents.diff(id, candidate.revision, {}, { signal })
        if (changes(diff, path)) return candidate
      }
      return null
    },
  })
}

function changes(diff: AgentDiff, path: string): boolean {
  return diffRows(diff.changes).some((row) => row.path === path)
}
