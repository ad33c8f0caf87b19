import type { AgentResult } from '@agent-console/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { keys } from '../../api/keys.ts'
import { type Draft, readDraft } from '../../shared/drafts.ts'
import { changedPaths, type FormValues, toForm } from '../fields/form.ts'
import { DELEGATES } from '../fields/table.ts'

/** What the draft keeps: only the fields that differ, so that the rest follows the agent. */
export interface DraftValues {
  fields: Record<string, string>
  delegates: FormValues['delegates'] | null
  reason: string
}

export function toDraft(base: FormValues, form: FormValues, reason: string): DraftValues {
  const paths = changedPaths(base, form)
  const fields = Object.entries(form.fields).filter(([path]) => paths.includes(path))
  return {
    fields: Object.fromEntries(fields),
    delegates: paths.includes(DELEGATES.name) ? form.delegates : null,
    reason,
  }
}

function fromDraft(base: FormValues, draft: DraftValues): FormValues {
  return { fields: { ...base.fields, ...draft.fields }, delegates: draft.delegates ?? base.delegates }
}

/** Where the form begins. */
export interface Start {
  /** The revision that the edits are made from. */
  base: AgentResult
  values: FormValues
  reason: string
  /** Unix time in seconds of a draft that was found. */
  draftAt: number | undefined
}

/** The draft of this tab, on the revision that it was made from. undefined: that revision is still loading. */
export function useStart(id: string, key: string, latest: AgentResult): Start | undefined {
  const [draft] = useState(() => readDraft<DraftValues>(key))
  // Only where the form begins: a later save must not load anything again.
  const [isOld] = useState(draft !== undefined && draft.revision < latest.revision)
  const old = useQuery({
    queryKey: keys.revision(id, draft?.revision ?? 0),
    queryFn: ({ signal }) => api().agents.revision(id, draft?.revision ?? 0, { signal }),
    enabled: isOld,
  })
  if (draft === undefined) {
    return { base: latest, values: toForm(latest.agent), reason: '', draftAt: undefined }
  }
  if (isOld && old.isPending) return undefined
  // Without the old revision the draft still applies: its fields then show as changes of the latest one.
  return restore(draft, isOld ? (old.data ?? latest) : latest)
}

function restore(draft: Draft<DraftValues>, base: AgentResult): Start {
  return {
    base,
    values: fromDraft(toForm(base.agent), draft.values),
    reason: draft.values.reason,
    draftAt: draft.at,
  }
}
