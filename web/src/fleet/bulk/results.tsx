import type { ReactElement } from 'react'
import { formatCount, plural } from '../../shared/numbers.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Dialog } from '../../shared/ui/dialog.tsx'
import { toCsv } from '../csv.ts'
import type { FleetRow } from '../row.ts'
import { fileName, saveFile } from '../save-file.ts'
import { type BulkKind, type BulkOutcome, countOutcomes, KINDS, outcomeText } from './change.ts'
import { Outcomes } from './outcomes.tsx'

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
      ...[each.id, names.get(each.id), each.outcome, each.revision],
      ...[each.error?.code, outcomeText(each, value)],
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
          : `${formatCount(changed)} of ${plural(outcomes.length, 'agent')} ${done}; ${formatCount(failed)} ${failed === 1 ? 'was' : 'were'} refused`
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
