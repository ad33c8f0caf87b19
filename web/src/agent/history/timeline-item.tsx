import type { AgentRevision } from '@agent-console/sdk'
import type { ReactElement } from 'react'
import { join } from '../../shared/ui/class-names.ts'
import { Icon } from '../../shared/ui/icon.tsx'
import { RelativeTime } from '../../shared/ui/relative-time.tsx'
import { personName } from '../../shared/words.ts'
import { FieldTags, StageMove } from '../revision-parts.tsx'
import { REVISION_KINDS, revisionWords } from '../revisions.ts'
import styles from './history.module.css'
import type { HistorySearch } from './search.ts'

interface TimelineItemProps {
  agentId: string
  revision: AgentRevision
  isA: boolean
  isB: boolean
  onPick: (pick: Pick<HistorySearch, 'a' | 'b'>) => void
  onCompare: (revision: number) => void
}

export function TimelineItem(props: TimelineItemProps): ReactElement {
  const { agentId, revision: made, isA, isB, onPick, onCompare } = props
  const { revision } = made
  return (
    <li className={join(isA && styles.pickA, isB && styles.pickB)} data-revision={revision}>
      <span className={styles.node}>
        <Icon name={REVISION_KINDS[made.action].icon} size="xs" />
      </span>
      <div className="grow">
        <div className="row">
          <button
            type="button"
            data-entry=""
            className={join(styles.entry, 'focus-in row grow')}
            onClick={() => onCompare(revision)}
          >
            <span className="mono b6">r{revision}</span>
            <span className="cut">
              <span className="b5">{personName(made.changed_by_name, made.changed_by)}</span>{' '}
              {made.action === 'trust_stage_changed' ? (
                <StageMove agentId={agentId} revision={revision} />
              ) : (
                <span className="t2">{revisionWords(made)}</span>
              )}
            </span>
          </button>
          <span className={join(styles.when, 'sm t3 nowrap')}>
            <RelativeTime at={made.changed_at} />
          </span>
          <span className={styles.letters}>
            <Pick letter="a" on={isA} revision={revision} onPick={() => onPick({ a: revision })} />
            <Pick letter="b" on={isB} revision={revision} onPick={() => onPick({ b: revision })} />
          </span>
        </div>
        {made.reason === null ? null : <p className={join(styles.reason, 't2 sm')}>{made.reason}</p>}
        <FieldTags className={styles.tags} fields={made.action === 'created' ? [] : made.fields} />
        {made.redacted.length === 0 ? null : (
          <p className="sm t3">Removed from history: {made.redacted.join(', ')}</p>
        )}
      </div>
    </li>
  )
}

interface PickProps {
  letter: 'a' | 'b'
  on: boolean
  revision: number
  onPick: () => void
}

function Pick({ letter, on, revision, onPick }: PickProps): ReactElement {
  const role = letter === 'a' ? 'the old side' : 'the new side'
  return (
    <button
      type="button"
      className={join(styles.letter, on ? styles[letter] : styles.off)}
      aria-pressed={on}
      title={`${letter.toUpperCase()}: make r${revision} ${role} of the comparison`}
      onClick={onPick}
    >
      {letter.toUpperCase()}
      <span className="hid">
        : make revision {revision} {role} of the comparison
      </span>
    </button>
  )
}
