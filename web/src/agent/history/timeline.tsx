import type { AgentRevision } from '@agent-console/sdk'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { KeyboardEvent, ReactElement } from 'react'
import { rowsOf } from '../../api/client.ts'
import { plural } from '../../shared/format.ts'
import { Button, MoreButton } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { Icon } from '../../shared/ui/icon.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import { Card } from '../../shared/ui/page.tsx'
import { personName } from '../../shared/words.ts'
import { bearsOnBehaviour, fieldLabel } from '../fields/labels.ts'
import { revisionsQuery } from '../queries.ts'
import { ALL, ChoiceMenu } from '../revision-parts.tsx'
import styles from './history.module.css'
import type { HistorySearch } from './search.ts'
import { TimelineItem } from './timeline-item.tsx'

interface TimelineProps {
  id: string
  current: number
  search: HistorySearch
  picked: { a: number; b: number }
  onFilter: (filter: Pick<HistorySearch, 'field' | 'by'>) => void
  onPick: (pick: Pick<HistorySearch, 'a' | 'b'>) => void
  /** Compares the revision with the one before it. */
  onCompare: (revision: number) => void
}

export function Timeline(props: TimelineProps): ReactElement {
  const { id, current, search, picked, onFilter, onPick, onCompare } = props
  const query = useInfiniteQuery(revisionsQuery(id))
  const loaded = rowsOf(query.data)
  const shown = loaded.filter((revision) => matches(revision, search))
  const filtered = search.field !== undefined || search.by !== undefined
  const earlier = Math.max(0, (loaded.at(-1)?.revision ?? 1) - 1)
  return (
    <Card
      flush
      title={filtered ? `${plural(shown.length, 'revision')} of ${current}` : plural(current, 'revision')}
      aside={
        <>
          <FieldFilter revisions={loaded} search={search} onFilter={onFilter} />
          <PersonFilter revisions={loaded} search={search} onFilter={onFilter} />
        </>
      }
    >
      {shown.length === 0 ? (
        <div className={join(pageStyles.inset, 'col col-3')}>
          <p className="t2">
            None of the {plural(loaded.length, 'loaded revision')} matches. Earlier ones may.
          </p>
          <div className="row">
            <Button onClick={() => onFilter({ field: undefined, by: undefined })}>Clear the filters</Button>
          </div>
        </div>
      ) : null}
      {/* The buttons inside are the controls; the list only moves the focus between them. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <ol className={styles.timeline} onKeyDown={moveFocus}>
        {shown.map((revision) => (
          <TimelineItem
            key={revision.revision}
            agentId={id}
            revision={revision}
            isA={revision.revision === picked.a}
            isB={revision.revision === picked.b}
            onPick={onPick}
            onCompare={onCompare}
          />
        ))}
        {query.hasNextPage ? (
          <li className={styles.more}>
            <span className={styles.node}>
              <Icon name="more" size="xs" />
            </span>
            <span className="row">
              <MoreButton query={query} icon={undefined} className="link">
                {filtered ? 'Search earlier revisions' : 'Show earlier revisions'}
              </MoreButton>
              <span className="sm t3">{plural(earlier, 'more', 'more')}</span>
            </span>
          </li>
        ) : null}
      </ol>
    </Card>
  )
}

const ROW = '[data-entry]'

/** Arrow keys, Home and End move between the revisions. */
function moveFocus(event: KeyboardEvent<HTMLOListElement>): void {
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>(ROW)]
  const at = rows.indexOf(
    document.activeElement?.closest('li')?.querySelector<HTMLElement>(ROW) as HTMLElement,
  )
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key]
  if (to === undefined || rows[to] === undefined) return
  event.preventDefault()
  rows[to].focus()
}

/** The revision whose row has the focus. */
export function focusedRevision(): number | undefined {
  const row = document.activeElement?.closest<HTMLElement>('li[data-revision]')
  return row == null ? undefined : Number(row.dataset['revision'])
}

interface FilterProps {
  revisions: readonly AgentRevision[]
  search: HistorySearch
  onFilter: (filter: Pick<HistorySearch, 'field' | 'by'>) => void
}

function FieldFilter({ revisions, search, onFilter }: FilterProps): ReactElement {
  const options = [
    { value: ALL, label: 'All fields' },
    { value: BEHAVIOUR, label: 'What bears on behaviour' },
    ...fieldChoices(revisions),
  ]
  return (
    <ChoiceMenu
      icon="filter"
      label="Changed field"
      value={search.field ?? ALL}
      options={options}
      onChange={(field) => onFilter({ by: search.by, field: field === ALL ? undefined : field })}
    />
  )
}

function PersonFilter({ revisions, search, onFilter }: FilterProps): ReactElement {
  const options = [{ value: ALL, label: 'All people' }, ...personChoices(revisions)]
  return (
    <ChoiceMenu
      icon="person"
      label="Changed by"
      value={search.by ?? ALL}
      options={options}
      onChange={(by) => onFilter({ field: search.field, by: by === ALL ? undefined : by })}
    />
  )
}

/** All fields that bear on behaviour, as a choice of the filter. */
const BEHAVIOUR = 'behaviour'

function matches(revision: AgentRevision, { field, by }: HistorySearch): boolean {
  if (by !== undefined && revision.changed_by !== by) return false
  if (field === undefined) return true
  return field === BEHAVIOUR ? revision.fields.some(bearsOnBehaviour) : revision.fields.includes(field)
}

interface Choice {
  value: string
  label: string
}

/** The fields that the revisions changed, by their names in words. */
function fieldChoices(revisions: readonly AgentRevision[]): Choice[] {
  const fields = [...new Set(revisions.flatMap((revision) => revision.fields))]
  return byLabel(fields.map((field) => ({ value: field, label: fieldLabel(field) })))
}

function personChoices(revisions: readonly AgentRevision[]): Choice[] {
  const people = new Map(
    revisions.map(({ changed_by: id, changed_by_name: name }) => [id, personName(name, id)]),
  )
  return byLabel([...people].map(([value, label]) => ({ value, label })))
}

function byLabel(choices: Choice[]): Choice[] {
  return choices.toSorted((one, other) => one.label.localeCompare(other.label))
}
