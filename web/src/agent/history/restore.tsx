import type { AgentRevision } from '@agent-console/sdk'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useEffect, useRef, useState } from 'react'
import { api, keys, rowsOf } from '../../api/client.ts'
import { describe, isStatus } from '../../api/problem.ts'
import { useOff } from '../../auth/permissions.ts'
import { Button } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { Field } from '../../shared/ui/field.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import { TextInput } from '../../shared/ui/inputs.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import { Banner } from '../../shared/ui/page.tsx'
import { Failed, type Failure, Loading } from '../../shared/ui/states.tsx'
import { toast } from '../../shared/ui/toast.tsx'
import { personName } from '../../shared/words.ts'
import { fieldLabel } from '../fields/labels.ts'
import { diffQuery, revisionsQuery } from '../queries.ts'
import { revisionWords } from '../revisions.ts'
import { diffRows, restoreEffect } from './diff-rows.ts'
import styles from './history.module.css'
import { RestorePreview } from './restore-preview.tsx'

interface RestoreProps {
  id: string
  /** The revision whose values come back. */
  target: number
  current: number
  onClose: () => void
  onRestored: (revision: number) => void
}

export function RestoreCard({ id, target, current, onClose, onRestored }: RestoreProps): ReactElement {
  // The preview is of this revision. When another user saves a newer one, the preview waits to be looked at again.
  const [base, setBase] = useState(current)
  const [reason, setReason] = useState('')
  const [running, setRunning] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const client = useQueryClient()
  const revisions = rowsOf(useInfiniteQuery(revisionsQuery(id)).data)
  const diff = useQuery(diffQuery(id, base, target))
  const effect =
    diff.data === undefined ? undefined : restoreEffect(diffRows(diff.data.changes), target, revisions)
  const mayNot = useOff('agent:write')
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])

  const overtaken = current !== base
  const off =
    mayNot ||
    (overtaken && 'Look at the new preview first') ||
    (running && 'The request is running') ||
    (effect === undefined && 'The preview is not there yet') ||
    (effect?.fields.length === 0 && 'There is nothing to change back')

  const restore = async (): Promise<void> => {
    setRunning(true)
    setFailure(undefined)
    const given = reason.trim() === '' ? {} : { reason: reason.trim() }
    try {
      const { revision } = await api().agents.restore(id, target, { ifRevision: base, ...given })
      await client.invalidateQueries({ queryKey: keys.one(id) })
      toast({ text: `Revision ${target} is restored as revision ${revision}` })
      onRestored(revision)
    } catch (error) {
      setRunning(false)
      if (isStatus(error, 412)) await client.invalidateQueries({ queryKey: keys.one(id) })
      else setFailure(describe(error))
    }
  }
  return (
    <section className={pageStyles.card} aria-label={`Restore revision ${target}`}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (off === false) void restore()
        }}
      >
        <header className={styles.head}>
          <Icon name="undo" size="s" className="acc-t" />
          <h2>Restore revision {target}</h2>
          <span className="sp" />
          <span className="sm t3">Preview: nothing is saved yet</span>
        </header>
        <div className={join(pageStyles.inset, 'col col-3')}>
          {overtaken ? (
            <RestoreConflict
              made={revisions.filter(({ revision }) => revision > base)}
              base={base}
              current={current}
              onLook={() => setBase(current)}
            />
          ) : null}
          {diff.error !== null ? (
            <Failed
              title="The preview could not be loaded"
              failure={describe(diff.error)}
              onRetry={() => void diff.refetch()}
            />
          ) : effect === undefined ? (
            <Loading what="the preview" rows={2} />
          ) : (
            <RestorePreview target={target} base={base} effect={effect} />
          )}
          <Field label="Reason" hint="Optional. It is kept with the revision.">
            {(control) => (
              <TextInput
                {...control}
                tall
                ref={input}
                maxLength={2000}
                placeholder="Why is this brought back?"
                value={reason}
                onChange={(event) => setReason(event.target.value)}
              />
            )}
          </Field>
          {failure === undefined ? null : (
            <Banner tone="danger" urgent icon={<Icon name="alert" />} title="The revision was not restored">
              {failure.detail} <span className="mono">{failure.code}</span>
              {failure.requestId === undefined ? null : (
                <span className="mono"> · req {failure.requestId}</span>
              )}
            </Banner>
          )}
        </div>
        <footer className="wrap">
          <Button type="submit" variant="primary" size="lg" icon="undo" off={off} reason="beside">
            Restore as revision {base + 1}
          </Button>
          <Button size="lg" onClick={onClose}>
            Cancel
          </Button>
          <span className="sp" />
          {mayNot === false ? (
            <span className="sm t3 row row-1">
              <Icon name="lock" size="xs" />
              needs agent:write, which you have
            </span>
          ) : null}
        </footer>
      </form>
    </section>
  )
}

interface RestoreConflictProps {
  /** The revisions that were made since the preview, newest first, as far as they are loaded. */
  made: readonly AgentRevision[]
  base: number
  current: number
  onLook: () => void
}

/** Nothing was restored: the preview no longer shows what a restore would change. */
function RestoreConflict({ made, base, current, onLook }: RestoreConflictProps): ReactElement {
  return (
    <Banner
      tone="warn"
      urgent
      icon={<Icon name="alert" />}
      title={`Revision ${current} was saved since this preview of revision ${base}. Nothing is restored yet.`}
      actions={<Button onClick={onLook}>Look at the new preview</Button>}
    >
      <ul>
        {made.map((revision) => (
          <li key={revision.revision}>
            <span className="mono">r{revision.revision}</span>{' '}
            {personName(revision.changed_by_name, revision.changed_by)} {revisionWords(revision)}{' '}
            {revision.fields.map(fieldLabel).join(', ')}
            {revision.reason === null ? '' : `: “${revision.reason}”`}
          </li>
        ))}
      </ul>
      Your reason is kept.
    </Banner>
  )
}
