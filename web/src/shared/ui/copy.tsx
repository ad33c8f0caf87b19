import { type ReactElement, useState } from 'react'
import { Button, IconButton } from './button.tsx'
import { toast } from './toast.tsx'

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

/** Copies a text, or one that must be fetched, and says so. */
export async function copyText(text: string | (() => string | Promise<string>), done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(typeof text === 'string' ? text : await text())
    toast({ text: done })
  } catch {
    toast({ text: 'The browser did not allow copying', fault: true })
  }
}

/** Begin and end of an id tell it from others; the title has all of it. */
export function ShortId({ id }: { id: string }): ReactElement {
  return (
    <span className="mono" title={id}>
      {id.slice(0, 8)}…{id.slice(-4)}
    </span>
  )
}
