import type { AgentResult } from '@agent-console/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactElement, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { FormProvider, useWatch } from 'react-hook-form'
import { describe } from '../../api/problem.ts'
import { useMay, useMe } from '../../auth/permissions.ts'
import { draftKey, dropDraft, writeDraft } from '../../shared/drafts.ts'
import { nowSeconds } from '../../shared/format.ts'
import { useKeys } from '../../shared/keys.ts'
import { join } from '../../shared/ui/class-names.ts'
import { UnsavedChanges } from '../../shared/ui/dialogs.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import { Failed, Loading } from '../../shared/ui/states.tsx'
import { FaultSummary } from '../fields/fault-summary.tsx'
import { type FormValues, toForm } from '../fields/form.ts'
import { FormContext } from '../fields/form-context.ts'
import { toUpdate } from '../fields/update.ts'
import { useAgent } from '../queries.ts'
import { ChangesPanel, SaveBar } from './changes-panel.tsx'
import styles from './configuration.module.css'
import { ConflictPanel } from './conflict-panel.tsx'
import { Groups } from './groups.tsx'
import { CredentialWarning, DraftNotice, ReaderNotice, SaveFailed } from './notices.tsx'
import { type Editor, type Start, toDraft, useEditor, useStart } from './use-editor.ts'

const route = getRouteApi('/agents/$id/configuration')

export function ConfigurationPage(): ReactElement {
  const { id } = route.useParams()
  const { data, error, refetch } = useAgent(id)
  if (data !== undefined) return <Started key={id} id={id} latest={data} />
  if (error === null) return <Loading what="the configuration" />
  return (
    <Failed
      title="The configuration could not be loaded"
      failure={describe(error)}
      onRetry={() => void refetch()}
    />
  )
}

function Started({ id, latest }: { id: string; latest: AgentResult }): ReactElement {
  const draft = draftKey(useMe().user_id, 'configuration', id)
  const start = useStart(id, draft, latest)
  if (start === undefined) return <Loading what="your unsaved changes" />
  return <ConfigurationEditor id={id} draft={draft} latest={latest} start={start} />
}

interface ConfigurationEditorProps {
  id: string
  /** Key of the draft. */
  draft: string
  latest: AgentResult
  start: Start
}

export function ConfigurationEditor({ id, draft, latest, start }: ConfigurationEditorProps): ReactElement {
  const editor = useEditor(id, draft, latest, start)
  const { form, base, failure, theirs, conflict } = editor
  const readOnly = !useMay('agent:write')
  const saved = useMemo(() => toForm(base.agent), [base])
  const parts = { base: saved, faults: failure.faults, onEdit: editor.clearFault, readOnly, defaults: {} }
  useSaveKey(editor)
  return (
    <div className={join(pageStyles.body, 'col col-4')}>
      {readOnly ? <ReaderNotice /> : null}
      {start.draftAt === undefined ? null : <DraftNotice at={start.draftAt} onDiscard={editor.discard} />}
      {theirs !== undefined && conflict !== 'closed' ? (
        <ConflictPanel editor={editor} theirs={theirs} />
      ) : null}
      <FaultSummary faults={failure.faults} requestId={failure.requestId} done="saved" />
      <SaveFailed editor={editor} />
      <CredentialWarning id={id} paths={editor.credentials} />
      <FormProvider {...form}>
        <FormContext value={parts}>
          <div className={join(styles.columns, styles.form)}>
            <Groups agent={latest.agent} />
            {readOnly ? null : <Beside editor={editor} saved={saved} draft={draft} />}
          </div>
        </FormContext>
      </FormProvider>
    </div>
  )
}

/** Follows what is typed, so that the fields themselves need not be drawn again. */
function Beside({
  editor,
  saved,
  draft,
}: {
  editor: Editor
  saved: FormValues
  draft: string
}): ReactElement {
  const { base, form, reason } = editor
  const values = useWatch<FormValues>({ control: form.control }) as FormValues
  const shown = useDeferredValue(values)
  const edit = useMemo(() => toUpdate(base.agent, shown), [base, shown])
  const isDirty = edit.changes.length + edit.faults.length > 0
  useEffect(() => {
    if (!isDirty) return dropDraft(draft)
    writeDraft(draft, { revision: base.revision, values: toDraft(saved, shown, reason), at: nowSeconds() })
  }, [isDirty, draft, base, saved, shown, reason])
  return (
    <>
      <ChangesPanel editor={editor} edit={edit} />
      {isDirty ? <SaveBar editor={editor} edit={edit} /> : null}
      <UnsavedChanges dirty={isDirty} what="the configuration" onDiscard={() => dropDraft(draft)} />
    </>
  )
}

function useSaveKey({ save }: Editor): void {
  const latest = useRef(save)
  useEffect(() => {
    latest.current = save
  })
  const [shortcuts] = useState(() => [
    { keys: 'Ctrl+s', label: 'Save the configuration', group: 'This page', run: () => latest.current() },
  ])
  useKeys(shortcuts)
}
