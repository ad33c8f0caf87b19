import type { AgentRevision } from '@agent-console/sdk'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { rowsOf } from '../../api/client.ts'
import { describe, isStatus } from '../../api/problem.ts'
import { useOff } from '../../auth/permissions.ts'
import { formatDay, formatUtc } from '../../shared/format.ts'
import { Button } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { CopyButton } from '../../shared/ui/copy.tsx'
import type { DiffMode } from '../../shared/ui/diff.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import { Segments } from '../../shared/ui/inputs.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import { Failed, Loading, State } from '../../shared/ui/states.tsx'
import { personName } from '../../shared/words.ts'
import { diffQuery, revisionsQuery } from '../queries.ts'
import { CompareField } from './compare-field.tsx'
import { diffRows } from './diff-rows.ts'
import styles from './history.module.css'

const MODES = [
  { value: 'words', label: 'Words' },
  { value: 'lines', label: 'Lines' },
  { value: 'side', label: 'Side by side' },
] as const

interface CompareProps {
  id: string
  before: number
  after: number
  current: number
  onRestore: (revision: number) => void
}

export function CompareCard({ id, before, after, current, onRestore }: CompareProps): ReactElement {
  const [mode, setMode] = useState<DiffMode>('words')
  const { data } = useInfiniteQuery(revisionsQuery(id))
  const known = rowsOf(data)
  const mayNot = useOff('agent:write')
  const isPresent = before === current && 'This revision is the current one'
  return (
    <section className={join(pageStyles.card, styles.comparison)} aria-label="Comparison">
      <header className={pageStyles.wrappingHead}>
        <h2>Compare</h2>
        <div className={styles.sides}>
          <Side letter="a" revision={before} known={known} />
          <Icon name="forward" size="s" className="t3" />
          <Side letter="b" revision={after} known={known} />
        </div>
        <Segments label="How texts are compared" value={mode} options={MODES} onChange={setMode} />
        <CopyButton
          iconOnly
          icon="link"
          label="Copy the link to this comparison"
          done="Link copied"
          text={() => linkTo(before, after)}
        />
      </header>
      <Differences id={id} before={before} after={after} mode={mode} />
      <footer>
        <Button icon="undo" shortcut="R" off={mayNot || isPresent} onClick={() => onRestore(before)}>
          Restore revision {before}
        </Button>
        <span className="sm t3">You see a preview first.</span>
      </footer>
    </section>
  )
}

function linkTo(before: number, after: number): string {
  const url = new URL(location.href)
  url.search = new URLSearchParams({ a: String(before), b: String(after) }).toString()
  return url.href
}

interface SideProps {
  letter: 'a' | 'b'
  revision: number
  known: readonly AgentRevision[]
}

/** Who made the revision and when, if the timeline has loaded it. */
function Side({ letter, revision, known }: SideProps): ReactElement {
  const made = known.find((each) => each.revision === revision)
  return (
    <span className={join(styles.side, 'row')}>
      <span className={join(styles.letter, styles[letter])}>{letter.toUpperCase()}</span>
      <span className="mono">r{revision}</span>
      {made === undefined ? null : (
        <>
          <span className="t3 sm cut">{personName(made.changed_by_name, made.changed_by)}</span>
          <span className="t3 sm nowrap" title={formatUtc(made.changed_at)}>
            {formatDay(made.changed_at)}
          </span>
        </>
      )}
    </span>
  )
}

interface DifferencesProps {
  id: string
  before: number
  after: number
  mode: DiffMode
}

function Differences({ id, before, after, mode }: DifferencesProps): ReactElement {
  const { data, error, refetch } = useQuery({ ...diffQuery(id, before, after), enabled: before !== after })
  if (before === after) {
    return (
      <State icon="minus" title="Both sides are the same revision">
        Choose another revision as A or B in the timeline.
      </State>
    )
  }
  if (isStatus(error, 404)) {
    return (
      <State icon="search" title="There is no such revision">
        The agent has no revision {before} or {after}. Choose two in the timeline.
      </State>
    )
  }
  if (error !== null) {
    return (
      <Failed
        title="The revisions could not be compared"
        failure={describe(error)}
        onRetry={() => void refetch()}
      />
    )
  }
  if (data === undefined) return <Loading what="the comparison" rows={4} />
  const rows = diffRows(data.changes)
  if (rows.length === 0) {
    return (
      <State icon="check" title="No difference">
        All fields have the same values in both revisions.
      </State>
    )
  }
  return (
    <div>
      {rows.map((row) => (
        <CompareField key={row.path} row={row} mode={mode} />
      ))}
    </div>
  )
}
