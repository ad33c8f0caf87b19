import { Link } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { describe } from '../../api/problem.ts'
import { useOff } from '../../auth/permissions.ts'
import { formatSince, nowSeconds } from '../../shared/format.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import { Banner } from '../../shared/ui/page.tsx'
import type { Editor } from './use-editor.ts'

export function ReaderNotice(): ReactElement {
  const off = useOff('agent:write')
  return (
    <Banner
      icon={<Icon name="lock" />}
      title="You can read this configuration, not change it"
      actions={<Button off={off}>Save</Button>}
    >
      {off}
    </Banner>
  )
}

export function DraftNotice({ at, onDiscard }: { at: number; onDiscard: () => void }): ReactElement | null {
  const [isOpen, setOpen] = useState(true)
  if (!isOpen) return null
  return (
    <Banner
      tone="accent"
      icon={<Icon name="undo" />}
      title="Your unsaved changes are back"
      actions={
        <span className="row">
          <Button onClick={() => setOpen(false)}>Keep them</Button>
          <Button
            variant="quiet"
            onClick={() => {
              setOpen(false)
              onDiscard()
            }}
          >
            Discard changes
          </Button>
        </span>
      }
    >
      Last edited {formatSince(at, nowSeconds())}. They are not saved yet.
    </Banner>
  )
}

/** Every failure but refused values and a newer revision. */
export function SaveFailed({ editor }: { editor: Editor }): ReactElement | null {
  if (editor.failure.error === undefined) return null
  const { detail, code, requestId } = describe(editor.failure.error)
  return (
    <Banner
      tone="danger"
      urgent
      icon={<Icon name="alert" />}
      title="Not saved. Your changes are still here."
      actions={
        <span className="row">
          <Button icon="retry" onClick={editor.save}>
            Try again
          </Button>
          <Button variant="quiet" onClick={editor.clearError}>
            Close
          </Button>
        </span>
      }
    >
      {detail}{' '}
      <span className="mono t3">
        {code}
        {requestId === undefined ? '' : ` · req ${requestId}`}
      </span>
    </Banner>
  )
}

export function CredentialWarning({
  id,
  paths,
}: {
  id: string
  paths: readonly string[]
}): ReactElement | null {
  if (paths.length === 0) return null
  return (
    <Banner tone="warn" icon={<Icon name="key" />} title="A saved value looks like a credential">
      <span className="mono">{paths.join(', ')}</span>: everyone who may read agents sees it. Keep it as a
      named secret on the{' '}
      <Link to="/agents/$id/secrets" params={{ id }} className="link">
        secrets tab
      </Link>{' '}
      and refer to it.
    </Banner>
  )
}
