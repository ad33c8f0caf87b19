import { useBlocker } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

interface UnsavedChangesProps {
  /** There is something to save: the update would not be empty. */
  dirty: boolean
  /** "the configuration" */
  what: string
  /** Forgets the changes and their draft. */
  onDiscard: () => void
}

/** Asks before the page is left with unsaved changes. Put it inside the form's page. */
export function UnsavedChanges({ dirty, what, onDiscard }: UnsavedChangesProps): ReactElement {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => dirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => dirty,
    withResolver: true,
  })
  const stay = (): void => blocker.reset?.()
  return (
    <Dialog
      open={blocker.status === 'blocked'}
      onClose={stay}
      title="Leave without saving?"
      footer={
        <>
          <Button variant="primary" size="lg" data-autofocus onClick={stay}>
            Keep editing
          </Button>
          <Button
            variant="danger"
            size="lg"
            onClick={() => {
              onDiscard()
              blocker.proceed?.()
            }}
          >
            Discard changes
          </Button>
        </>
      }
    >
      <p className="t2">Your changes of {what} are not saved yet.</p>
    </Dialog>
  )
}
