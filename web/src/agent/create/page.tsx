import { Link } from '@tanstack/react-router'
import { type ReactElement, useDeferredValue, useEffect, useMemo, useState } from 'react'
import { FormProvider, useWatch } from 'react-hook-form'
import { describe } from '../../api/problem.ts'
import { useMe } from '../../auth/permissions.ts'
import { draftKey, dropDraft, writeDraft } from '../../shared/drafts.ts'
import { nowSeconds, plural } from '../../shared/format.ts'
import { BehaviourMark } from '../../shared/ui/badges.tsx'
import buttonStyles from '../../shared/ui/button.module.css'
import { Button } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { UnsavedChanges } from '../../shared/ui/dialogs.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import { Banner, PageHead } from '../../shared/ui/page.tsx'
import { FaultSummary } from '../fields/fault-summary.tsx'
import { changedPaths, type FormValues, toForm } from '../fields/form.ts'
import { FormContext } from '../fields/form-context.ts'
import { specOf } from '../fields/table.ts'
import styles from './create.module.css'
import { ONLY_ON_CREATION } from './import.ts'
import { ImportDialog } from './import-dialog.tsx'
import { type CreateDraft, CreateGroups, type Creation, DEFAULTS, SHOWN, useCreate } from './use-create.tsx'

const EMPTY = toForm({})

export function CreatePage(): ReactElement {
  const draft = draftKey(useMe().user_id, 'create', 'new')
  const creation = useCreate(draft)
  const { form, failure, isSending } = creation
  const [isImporting, setImporting] = useState(false)
  const parts = { base: EMPTY, faults: failure.faults, onEdit: creation.clearFault, readOnly: false }
  return (
    <div className={join(pageStyles.page, pageStyles.onCanvas)}>
      <PageHead title="New agent">
        <Button icon="upload" onClick={() => setImporting(true)}>
          Import JSON
        </Button>
      </PageHead>
      <div className={join(pageStyles.body, styles.form, 'col col-4')}>
        <FaultSummary faults={failure.faults} requestId={failure.requestId} done="created" />
        <CreateFailed creation={creation} />
        <FormProvider {...form}>
          <FormContext value={{ ...parts, defaults: DEFAULTS }}>
            <form
              noValidate
              onSubmit={(event) => {
                event.preventDefault()
                creation.submit()
              }}
            >
              <p className={join(styles.legend, 'sm t3 row')}>
                <BehaviourMark />
                bears on behaviour: a later change outdates the evaluation
              </p>
              <CreateGroups />
              <AlsoImported creation={creation} />
              <footer className={join(styles.end, 'row wrap')}>
                <Button
                  type="submit"
                  variant="primary"
                  size="lg"
                  off={isSending ? 'The request is running' : false}
                >
                  {isSending ? 'Creating' : 'Create agent'}
                </Button>
                <Link to="/agents" className={join(buttonStyles.button, buttonStyles.large)}>
                  Cancel
                </Link>
                <span className="sm t3">
                  Secrets, MCP, white box, delegation and the rest are set on the agent’s own pages.
                </span>
              </footer>
            </form>
            <Kept creation={creation} draft={draft} />
          </FormContext>
        </FormProvider>
      </div>
      <ImportDialog open={isImporting} onClose={() => setImporting(false)} onTake={creation.take} />
    </div>
  )
}

/** Keeps what is typed in this tab, and asks before it is lost. */
function Kept({ creation, draft }: { creation: Creation; draft: string }): ReactElement {
  const { source, form } = creation
  const values = useDeferredValue(useWatch<FormValues>({ control: form.control }) as FormValues)
  const isDirty = changedPaths(EMPTY, values).length + Object.keys(source).length > 0
  useEffect(() => {
    if (!isDirty) return dropDraft(draft)
    writeDraft<CreateDraft>(draft, { revision: 0, values: { source, values }, at: nowSeconds() })
  }, [isDirty, draft, source, values])
  return <UnsavedChanges dirty={isDirty} what="the new agent" onDiscard={() => dropDraft(draft)} />
}

/** Imported fields that the short form does not show are sent as they came. */
function AlsoImported({ creation: { source, clear } }: { creation: Creation }): ReactElement | null {
  const hidden = useMemo(() => {
    const paths = changedPaths(EMPTY, toForm(source)).filter((path) => !SHOWN.includes(path))
    return [
      ...paths.map((path) => specOf(path)?.label ?? path),
      ...ONLY_ON_CREATION.filter((name) => name in source),
    ]
  }, [source])
  if (Object.keys(source).length === 0) return null
  return (
    <Banner
      icon={<Icon name="download" />}
      title={
        hidden.length === 0
          ? 'Filled from an import'
          : `${plural(hidden.length, 'imported field')} beyond this form will be created, too`
      }
      actions={
        <Button variant="quiet" onClick={clear}>
          Clear the form
        </Button>
      }
    >
      {hidden.length === 0 ? undefined : <span>{hidden.join(', ')}</span>}
    </Banner>
  )
}

function CreateFailed({ creation }: { creation: Creation }): ReactElement | null {
  if (creation.failure.error === undefined) return null
  const { detail, code, requestId } = describe(creation.failure.error)
  return (
    <Banner
      tone="danger"
      urgent
      icon={<Icon name="alert" />}
      title="Not created. What you entered is still here."
      actions={
        <Button icon="retry" onClick={creation.submit}>
          Try again
        </Button>
      }
    >
      {detail}{' '}
      <span className="mono t3">
        {code}
        {requestId === undefined ? '' : ` · req ${requestId}`}
      </span>
    </Banner>
  )
}
