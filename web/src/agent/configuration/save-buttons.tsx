import type { ReactElement } from 'react'
import { plural } from '../../shared/numbers.ts'
import { Button } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { Icon } from '../../shared/ui/icon.tsx'
import type { Edit, Fault } from '../fields/update.ts'
import styles from './configuration.module.css'
import type { Editor } from './use-editor.ts'

interface SaveButtonsProps {
  editor: Editor
  edit: Edit
}

export function SaveButtons({ editor, edit }: SaveButtonsProps): ReactElement {
  const off = whyOff(editor, edit)
  const isEmpty = edit.changes.length + edit.faults.length === 0
  return (
    <div className={join(styles.saveButtons, 'col')}>
      <div className="row wrap">
        <Button variant="primary" size="lg" shortcut="Ctrl S" off={off} onClick={editor.save}>
          {editor.isSaving ? 'Saving' : `Save revision ${(editor.theirs ?? editor.base).revision + 1}`}
        </Button>
        {isEmpty ? null : (
          <Button size="lg" onClick={editor.discard}>
            Discard changes
          </Button>
        )}
      </div>
      {off === false || isEmpty ? null : (
        <span className="sm t2 row row-1" aria-hidden="true">
          <Icon name="info" size="xs" />
          {off}
        </span>
      )}
    </div>
  )
}

/** Why the changes cannot be saved; false: they can. */
export function whyOff({ theirs, isSaving, failure }: Editor, edit: Edit): string | false {
  if (isSaving) return 'The request is running'
  const faults = openFaults(edit.faults, failure.faults)
  const correct = faults === 0 ? undefined : `correct ${plural(faults, 'field')}`
  if (theirs !== undefined) {
    return `Rebase on revision ${theirs.revision} first${correct === undefined ? '' : `, then ${correct}`}`
  }
  if (correct !== undefined) return `${correct.charAt(0).toUpperCase()}${correct.slice(1)} first`
  return edit.changes.length === 0 ? 'Nothing has changed' : false
}

/** A fault of the server goes away with the next edit of its field; one without a field does not block. */
function openFaults(found: readonly Fault[], refused: readonly Fault[]): number {
  return new Set([...found, ...refused].flatMap(({ name }) => name ?? [])).size
}
