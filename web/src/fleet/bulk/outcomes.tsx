import type { ReactElement } from 'react'
import { formatCount } from '../../shared/numbers.ts'
import { join } from '../../shared/ui/class-names.ts'
import { Icon } from '../../shared/ui/icon.tsx'
import { Column, Table } from '../../shared/ui/table.tsx'
import { PROTECTION, STAGES, STATUS, words } from '../../shared/words.ts'
import styles from '../fleet.module.css'
import type { FleetRow } from '../row.ts'
import { type BulkKind, type BulkOutcome, inOrder, KINDS, outcomeText } from './change.ts'

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
