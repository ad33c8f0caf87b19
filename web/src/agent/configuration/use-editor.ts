import { type AgentResult, Stale, ValidationFailed } from '@agent-console/sdk'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { type UseFormReturn, useForm } from 'react-hook-form'
import { api, keys, queryClient } from '../../api/client.ts'
import { type Draft, dropDraft, readDraft } from '../../shared/drafts.ts'
import { toast } from '../../shared/ui/toast.tsx'
import { faultsAfterEdit, locate } from '../fields/faults.ts'
import { changedPaths, type FormValues, toForm } from '../fields/form.ts'
import { focusFault } from '../fields/form-context.ts'
import { applyMerge, mergeForms } from '../fields/merge.ts'
import { DELEGATES } from '../fields/table.ts'
import { type Fault, toUpdate } from '../fields/update.ts'

interface Failure {
  faults: readonly Fault[]
  /** Of the response that refused the values. */
  requestId: string | undefined
  /** Anything but refused values. */
  error?: unknown
}

const NONE: Failure = { faults: [], requestId: undefined }

export interface Editor {
  form: UseFormReturn<FormValues>
  /** The revision that the edits are made from. */
  base: AgentResult
  /** A newer revision that somebody has saved. */
  theirs: AgentResult | undefined
  /** The panel is open: a save met the newer revision, or the user asked for it. */
  conflict: 'closed' | 'offered' | 'refused'
  reason: string
  isSaving: boolean
  failure: Failure
  credentials: readonly string[]
  setReason: (reason: string) => void
  save: () => void
  discard: () => void
  review: () => void
  rebase: (values: FormValues) => void
  clearFault: (name: string) => void
  clearError: () => void
}

export function useEditor(id: string, draft: string, latest: AgentResult, start: Start): Editor {
  const form = useForm<FormValues>({ defaultValues: start.values })
  const [base, setBase] = useState(start.base)
  const [reason, setReason] = useState(start.reason)
  const [isSaving, setSaving] = useState(false)
  const [failure, setFailure] = useState(NONE)
  const [credentials, setCredentials] = useState<readonly string[]>([])
  const [conflict, setConflict] = useState<Editor['conflict']>('closed')
  const theirs = !isSaving && latest.revision > base.revision ? latest : undefined

  /** From here on the edits are made from this revision. */
  function moveTo(next: AgentResult, values: FormValues): void {
    setBase(next)
    form.reset(values)
    setConflict('closed')
  }

  const follow = useEffectEvent(() => {
    if (theirs === undefined) return
    // A change by somebody else never touches a form with edits.
    if (changedPaths(toForm(base.agent), form.getValues()).length === 0) moveTo(theirs, toForm(theirs.agent))
  })
  useEffect(() => follow(), [latest])

  function refuse(faults: readonly Fault[], requestId?: string): void {
    setFailure({ faults, requestId })
    focusFault(faults)
  }

  async function send(): Promise<void> {
    const sent = structuredClone(form.getValues())
    const { update, faults } = toUpdate(base.agent, sent)
    if (faults.length > 0) return refuse(faults)
    if (theirs !== undefined) return setConflict('refused')
    if (Object.keys(update).length === 0) return
    setSaving(true)
    setFailure(NONE)
    try {
      const why = reason.trim() === '' ? undefined : reason.trim()
      const saved = await api().agents.update(id, update, { ifRevision: base.revision, reason: why })
      accept(saved, sent)
    } catch (error) {
      if (error instanceof Stale) {
        await queryClient.invalidateQueries({ queryKey: keys.one(id) })
        setConflict('refused')
      } else if (error instanceof ValidationFailed) {
        refuse(error.faults.map(locate), error.requestId)
      } else setFailure({ ...NONE, error })
    } finally {
      setSaving(false)
    }
  }

  function clearFault(name: string): void {
    setFailure((old) => {
      const faults = faultsAfterEdit(old.faults, name)
      return faults === old.faults ? old : { ...old, faults }
    })
  }

  /** What was typed while the request ran stays an edit. */
  function accept(saved: AgentResult, sent: FormValues): void {
    const now = form.getValues()
    const next = toForm(saved.agent)
    moveTo(saved, applyMerge(mergeForms(sent, now, next), now, next, {}))
    setReason('')
    setCredentials(saved.credentialWarnings)
    queryClient.setQueryData<AgentResult>(keys.one(id), (old) => keepScores(saved, old))
    void queryClient.invalidateQueries({ queryKey: keys.one(id) })
    toast({ text: `Saved revision ${saved.revision}` })
  }

  return {
    form,
    base,
    theirs,
    conflict,
    reason,
    isSaving,
    failure,
    credentials,
    setReason,
    save: () => {
      if (!isSaving) void send()
    },
    discard: () => {
      const before = { base, values: structuredClone(form.getValues()), reason }
      const undo = (): void => {
        moveTo(before.base, before.values)
        setReason(before.reason)
      }
      toast({ text: 'Changes discarded', action: { label: 'Undo', run: undo } })
      dropDraft(draft)
      setFailure(NONE)
      setReason('')
      moveTo(latest, toForm(latest.agent))
    },
    review: () => setConflict('offered'),
    rebase: (values) => {
      if (theirs === undefined) return
      moveTo(theirs, values)
      // Their rows may have moved.
      clearFault(DELEGATES.name)
    },
    clearFault,
    clearError: () => setFailure(NONE),
  }
}

/** The response to a change has no scores; those on the screen stay until they are read again. */
function keepScores(saved: AgentResult, old: AgentResult | undefined): AgentResult {
  const scores = old?.agent.latest_evaluation
  return scores === undefined ? saved : { ...saved, agent: { ...saved.agent, latest_evaluation: scores } }
}

/** What the draft keeps: only the fields that differ, so that the rest follows the agent. */
interface DraftValues {
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
