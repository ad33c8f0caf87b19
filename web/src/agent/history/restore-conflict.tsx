import type { AgentRevision } from '@agent-console/sdk'
import type { ReactElement } from 'react'
import { Button } from '../../shared/ui/button.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import { Banner } from '../../shared/ui/page.tsx'
import { personName } from '../../shared/words.ts'
import { fieldLabel } from '../records/fields.ts'
import { revisionWords } from '../records/revision-words.ts'

interface RestoreConflictProps {
  /** The revisions that were made since the preview, newest first, as far as they are loaded. */
  made: readonly AgentRevision[]
  base: number
  current: number
  onLook: () => void
}

/** Nothing was restored: the preview no longer shows what a restore would change. */
export function RestoreConflict({ made, base, current, onLook }: RestoreConflictProps): ReactElement {
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
