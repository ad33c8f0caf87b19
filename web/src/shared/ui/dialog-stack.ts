import { useSyncExternalStore } from 'react'

const open: HTMLElement[] = []
const listeners = new Set<() => void>()

/** The dialog is open from now on, until the returned function is called. */
export function enterDialog(dialog: HTMLElement): () => void {
  open.push(dialog)
  tell()
  return () => {
    open.splice(open.indexOf(dialog), 1)
    tell()
  }
}

function tell(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The modal dialog on top: all that is not inside it is inert. */
export function useTopDialog(): HTMLElement | undefined {
  return useSyncExternalStore(subscribe, () => open.at(-1))
}
