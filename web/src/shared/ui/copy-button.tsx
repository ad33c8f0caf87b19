import { type ReactElement, useState } from 'react'
import { Button, IconButton } from './button.tsx'
import { copyText } from './copy.ts'

interface CopyButtonProps {
  /** The text, or a function for a text that must be fetched. */
  text: string | (() => string | Promise<string>)
  label?: string
  /** What the toast says. */
  done?: string
  iconOnly?: boolean
  icon?: 'copy' | 'link'
}

export function CopyButton(props: CopyButtonProps): ReactElement {
  const { text, label = 'Copy', done = 'Copied', iconOnly = false, icon = 'copy' } = props
  const [busy, setBusy] = useState(false)
  const copy = async (): Promise<void> => {
    setBusy(true)
    await copyText(text, done)
    setBusy(false)
  }
  const act = (): void => void (busy || copy())
  return iconOnly ? (
    <IconButton icon={icon} label={label} onClick={act} />
  ) : (
    <Button icon={icon} onClick={act}>
      {label}
    </Button>
  )
}
