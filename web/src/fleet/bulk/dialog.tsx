import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactElement, useId, useState } from 'react'
import { describe } from '../../api/problem.ts'
import { formatCount, plural } from '../../shared/format.ts'
import badgesStyles from '../../shared/ui/badges.module.css'
import { Button } from '../../shared/ui/button.tsx'
import { Dialog } from '../../shared/ui/dialog.tsx'
import { Field } from '../../shared/ui/field.tsx'
import { RadioLine, TextInput } from '../../shared/ui/inputs.tsx'
import { Failed, Loading } from '../../shared/ui/states.tsx'
import { words } from '../../shared/words.ts'
import { FilterGlyph } from '../facets.tsx'
import styles from '../fleet.module.css'
import type { FleetRow } from '../list.ts'
import { type BulkKind, type BulkOutcome, countOutcomes, KINDS, runBulk } from './change.ts'
import { Outcomes, Results } from './results.tsx'

interface BulkDialogProps {
  kind: BulkKind
  rows: readonly FleetRow[]
  onClose: () => void
  /** Called with what happened; those that failed stay selected. */
  onDone: (outcomes: readonly BulkOutcome[], value: string) => void
}

/** Choose, see what would change, change it, see what happened to each agent. */
export function BulkDialog({ kind, rows, onClose, onDone }: BulkDialogProps): ReactElement {
  const { title } = KINDS[kind]
  const [value, setValue] = useState(kind === 'archive' ? 'archived' : undefined)
  const [reason, setReason] = useState('')
  const [key, setKey] = useState(() => crypto.randomUUID())
  const [progress, setProgress] = useState(0)
  const [subjects, setSubjects] = useState(rows)

  const preview = useQuery({
    queryKey: ['bulk-preview', kind, value, key],
    queryFn: ({ signal }) =>
      runBulk({ kind, value: value ?? '', agents: subjects.map(({ id }) => ({ id })), dryRun: true, signal }),
    enabled: value !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const willChange = preview.data?.filter(({ outcome }) => outcome === 'would_change') ?? []
  const change = useMutation({
    mutationFn: (to: string) =>
      runBulk({
        kind,
        value: to,
        reason: reason.trim(),
        key,
        onProgress: setProgress,
        // An agent that somebody changed after the preview is refused.
        agents: willChange.map(({ id, revision }) => ({ id, ...(revision === null ? {} : { revision }) })),
      }),
    onSuccess: (outcomes, to) => onDone(outcomes, to),
  })

  /** Another change has another key, also if the last request may have been accepted. */
  const restart = (): void => {
    setKey(crypto.randomUUID())
    setProgress(0)
    change.reset()
  }

  const held = change.isPending && 'The request is running'

  if (change.data !== undefined && change.variables !== undefined) {
    const again = (ids: ReadonlySet<string>): void => {
      setSubjects(subjects.filter(({ id }) => ids.has(id)))
      restart()
    }
    return (
      <Results
        kind={kind}
        value={change.variables}
        rows={subjects}
        outcomes={change.data}
        onAgain={again}
        onClose={onClose}
      />
    )
  }
  return (
    <Dialog
      open
      kind="sheet"
      onClose={onClose}
      held={held}
      title={`${title}: ${plural(subjects.length, 'agent')}`}
      footer={
        <>
          <Apply
            kind={kind}
            value={value}
            count={willChange.length}
            busy={change.isPending}
            loaded={preview.data !== undefined}
            onApply={() => value !== undefined && change.mutate(value)}
          />
          <Button size="lg" off={held} onClick={onClose}>
            Cancel
          </Button>
          <span className="sp" />
          {change.isPending && willChange.length > 0 ? (
            <span className="sm t2" role="status">
              {formatCount(progress)} of {formatCount(willChange.length)} done
            </span>
          ) : null}
        </>
      }
    >
      <Values
        kind={kind}
        value={value}
        disabled={change.isPending}
        onChange={(next) => {
          setValue(next)
          restart()
        }}
      />
      <Field label="Reason" hint="Optional. The history of each agent and the audit log show it.">
        {(control) => (
          <TextInput
            {...control}
            maxLength={500}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </Field>
      {change.isError ? (
        <Failed
          title="Not all agents were changed"
          failure={describe(change.error)}
          onRetry={() => value !== undefined && change.mutate(value)}
        />
      ) : null}
      {value === undefined ? <p className="t3">Choose a value to see what would change.</p> : null}
      {preview.isFetching ? <Loading what="the preview" rows={4} /> : null}
      {preview.isError ? (
        <Failed
          title="The preview failed"
          failure={describe(preview.error)}
          onRetry={() => void preview.refetch()}
        />
      ) : null}
      {preview.data === undefined || value === undefined || change.isError ? null : (
        <section aria-label="Preview" className="col">
          <h3 className="b6">{previewSentence(preview.data, KINDS[kind].values[value] ?? value)}</h3>
          <Outcomes kind={kind} value={value} rows={subjects} outcomes={preview.data} />
        </section>
      )}
    </Dialog>
  )
}

/** "7 will change, 2 are Hardened already" */
function previewSentence(outcomes: readonly BulkOutcome[], word: string): string {
  const { willChange, unchanged, failed } = countOutcomes(outcomes)
  const parts = [
    `${formatCount(willChange)} will change`,
    unchanged === 0 ? '' : `${formatCount(unchanged)} ${unchanged === 1 ? 'is' : 'are'} ${word} already`,
    failed === 0 ? '' : `${formatCount(failed)} refused`,
  ]
  return parts.filter(Boolean).join(', ')
}

interface ApplyProps {
  kind: BulkKind
  value: string | undefined
  count: number
  busy: boolean
  /** The preview is there. */
  loaded: boolean
  onApply: () => void
}

/** The button that changes the agents; says how many. */
function Apply(props: ApplyProps): ReactElement {
  const { kind, value, count, loaded, onApply } = props
  const { verb, values } = KINDS[kind]
  const agents = plural(count, 'agent')
  const label = value === undefined || kind === 'archive' ? '' : ` to ${words(values, value)}`
  return (
    <Button variant="primary" size="lg" off={offReason(props)} reason="beside" onClick={onApply}>
      {loaded ? `${verb} ${agents}${label}` : verb}
    </Button>
  )
}

function offReason({ kind, value, count, busy, loaded }: ApplyProps): string | false {
  if (value === undefined) return kind === 'stage' ? 'Choose a stage first' : 'Choose a value first'
  if (!loaded) return 'The preview comes first'
  return count === 0 ? 'No agent would change' : busy && 'The request is running'
}

const GLYPHS = { stage: 'trust_stages', status: 'statuses', protection: 'protection_statuses' } as const

interface ValuesProps {
  kind: BulkKind
  value: string | undefined
  disabled: boolean
  onChange: (value: string) => void
}

/** What the agents can be set to. */
function Values({ kind, value, disabled, onChange }: ValuesProps): ReactElement {
  const group = useId()
  if (kind === 'archive') {
    return (
      <p className="t2">
        Archived agents leave the list and keep their history. You can set another status later.
      </p>
    )
  }
  const { title, values } = KINDS[kind]
  return (
    <fieldset className={styles.choices} disabled={disabled}>
      <legend className="hid">{title}</legend>
      {Object.entries(values).map(([each, label]) => (
        <RadioLine key={each} name={group} checked={value === each} onChange={() => onChange(each)}>
          <span className={badgesStyles.badge}>
            <FilterGlyph name={GLYPHS[kind]} value={each} />
            {label}
          </span>
        </RadioLine>
      ))}
    </fieldset>
  )
}
