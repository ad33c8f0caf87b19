import type { ReactElement } from 'react'
import { formatCount, plural } from '../../shared/format.ts'
import { Button } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { Dialog } from '../../shared/ui/dialog.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import { Column, Table } from '../../shared/ui/table.tsx'
import { PROTECTION, STAGES, STATUS, words } from '../../shared/words.ts'
import { fileName, saveFile, toCsv } from '../csv.ts'
import type { FleetRow } from '../list.ts'
import styles from './bulk.module.css'
import { type BulkKind, type BulkOutcome, countOutcomes, inOrder, KINDS, outcomeText } from './change.ts'

interface ResultsProps {
  kind: BulkKind
  value: string
  rows: readonly FleetRow[]
  outcomes: readonly BulkOutcome[]
  /** A new preview for these agents. */
  onAgain: (ids: ReadonlySet<string>) => void
  onClose: () => void
}

/** "499 of 500 agents moved; 1 was refused" */
export function Results({ kind, value, rows, outcomes, onAgain, onClose }: ResultsProps): ReactElement {
  const { changed, failed } = countOutcomes(outcomes)
  const { done } = KINDS[kind]
  const refused = new Set(outcomes.flatMap(({ id, outcome }) => (outcome === 'failed' ? [id] : [])))
  const save = (): void => {
    const names = new Map(rows.map(({ id, name }) => [id, name]))
    const lines = outcomes.map((each) => [
      each.id,
      names.get(each.id),
      each.outcome,
      each.revision,
      each.error?.code,
      outcomeText(each, value),
    ])
    const head = ['id', 'agent_name', 'outcome', 'revision', 'code', 'detail']
    saveFile(fileName('results', 'csv'), 'text/csv', [toCsv([head, ...lines])])
  }
  return (
    <Dialog
      open
      kind="sheet"
      onClose={onClose}
      title={
        failed === 0
          ? `${plural(changed, 'agent')} ${done}`
          : `${formatCount(changed)} of ${plural(outcomes.length, 'agent')} ${done}; ` +
            `${formatCount(failed)} ${failed === 1 ? 'was' : 'were'} refused`
      }
      footer={
        <>
          <Button variant="primary" size="lg" onClick={onClose} data-autofocus>
            Done
          </Button>
          {failed === 0 ? null : (
            <Button size="lg" icon="retry" onClick={() => onAgain(refused)}>
              Preview the refused again
            </Button>
          )}
          <span className="sp" />
          <Button size="lg" variant="quiet" icon="download" onClick={save}>
            Save the results
          </Button>
        </>
      }
    >
      {failed === 0 ? null : <p className="t2">The refused agents are as they were, and stay selected.</p>}
      <Outcomes kind={kind} value={value} rows={rows} outcomes={outcomes} />
    </Dialog>
  )
}

/** So many are listed; refused ones come first. */
const LISTED = 200
const WORDS = { ...STATUS, ...STAGES, ...PROTECTION }

interface OutcomesProps {
  kind: BulkKind
  value: string
  rows: readonly FleetRow[]
  outcomes: readonly BulkOutcome[]
}

/** One line per agent. */
export function Outcomes({ kind, value, rows, outcomes }: OutcomesProps): ReactElement {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const ordered = inOrder(outcomes)
  return (
    <>
      {/* It scrolls, and holds nothing that takes the focus. */}
      <div className={join(styles.outcomes, 'focus-in')} tabIndex={0} role="region" aria-label="Agents">
        <Table label="Result for each agent" fixed>
          <thead>
            <tr>
              <Column>Agent</Column>
              <Column width={220}>Change</Column>
              <Column>Result</Column>
            </tr>
          </thead>
          <tbody>
            {ordered.slice(0, LISTED).map((each) => {
              const row = byId.get(each.id)
              const from = row === undefined ? '' : KINDS[kind].of(row)
              return (
                <tr key={each.id}>
                  <td title={row?.name}>{row?.name ?? each.id}</td>
                  <td>
                    {each.outcome === 'unchanged' ? (
                      words(WORDS, value)
                    ) : (
                      <>
                        <s className="t3">{words(WORDS, from)}</s>{' '}
                        <Icon name="forward" size="xs" className={join(styles.inline, 't3')} />{' '}
                        {words(WORDS, value)}
                      </>
                    )}
                  </td>
                  <td title={outcomeText(each, value)}>
                    <Result outcome={each} text={outcomeText(each, value)} />
                  </td>
                </tr>
              )
            })}
          </tbody>
        </Table>
      </div>
      {ordered.length > LISTED ? (
        <p className="sm t3">
          and {formatCount(ordered.length - LISTED)} more with the same result as the last ones
        </p>
      ) : null}
    </>
  )
}

function Result({ outcome, text }: { outcome: BulkOutcome; text: string }): ReactElement {
  if (outcome.outcome === 'failed') {
    return (
      <span className="danger-t">
        <Icon name="alert" size="xs" className={styles.inline} /> Refused: {text}
      </span>
    )
  }
  if ((outcome.impact?.dependents ?? 0) > 0) {
    return (
      <span className="warn-t">
        <Icon name="people" size="xs" className={styles.inline} /> {text}
      </span>
    )
  }
  return <span className="t2">{text}</span>
}
