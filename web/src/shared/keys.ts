import { useEffect, useSyncExternalStore } from 'react'
import type { IconName } from './ui/icon.tsx'
import { toast } from './ui/toast.tsx'

export interface Shortcut {
  /** "j", "?", "Escape", "g a" (one after the other) or "Ctrl+k" (Command on a Mac). */
  keys: string
  /** For the sheet of keys: "Next agent". */
  label: string
  /** Heading on the sheet. */
  group: string
  /** Beside the label in the palette. */
  icon?: IconName
  /** Absent: the browser does it, and the sheet of keys says so. */
  run?: (event: KeyboardEvent) => void
  /** Also while a field has the focus; always so with Ctrl. */
  inFields?: boolean
  /** Acts on the row that has the focus. The palette takes the focus, and leaves it out. */
  atFocus?: boolean
  /** Why it is off; it names the missing permission. The key then says so. */
  off?: string | false
}

const STORED = 'single-keys'
const SEQUENCE_MS = 1000
const registered: Shortcut[][] = []
const listeners = new Set<() => void>()
let snapshot: Shortcut[] = []
let pending = ''
let pendingSince = 0

/** The latest registration of the same keys wins: a page overrides the shell, a dialog the page. */
export function useKeys(shortcuts: readonly Shortcut[]): void {
  useEffect(() => {
    const mine = [...shortcuts]
    registered.push(mine)
    announce()
    return () => {
      registered.splice(registered.indexOf(mine), 1)
      announce()
    }
  }, [shortcuts])
}

function announce(): void {
  const byKeys = new Map(registered.flat().map((shortcut) => [shortcut.keys, shortcut]))
  snapshot = [...byKeys.values()]
  for (const listener of listeners) listener()
}

/** The shortcuts that work now, for the sheet of keys. */
export function useShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(subscribe, () => snapshot)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Single letters can be switched off: speech input would trigger them (WCAG 2.1.4). */
function singleKeysOn(): boolean {
  return localStorage.getItem(STORED) !== 'off'
}

export function switchSingleKeys(on: boolean): void {
  if (on) localStorage.removeItem(STORED)
  else localStorage.setItem(STORED, 'off')
  announce()
}

export function useSingleKeysOn(): boolean {
  return useSyncExternalStore(subscribe, singleKeysOn)
}

/** Installs the one listener of the page. Returns how to remove it. */
export function listenToKeys(): () => void {
  document.addEventListener('keydown', onKeyDown)
  return () => document.removeEventListener('keydown', onKeyDown)
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return
  const pressed = nameOf(event)
  const withCtrl = pressed.startsWith('Ctrl+')
  const inField = isField(event.composedPath()[0])
  if (!withCtrl && pressed.length === 1 && !singleKeysOn()) return
  const sequence =
    event.timeStamp - pendingSince < SEQUENCE_MS && pending !== '' ? `${pending} ${pressed}` : pressed
  const found = findShortcut(sequence) ?? findShortcut(pressed)
  if (found !== undefined && (!inField || withCtrl || found.inFields === true) && !isBehindDialog(event)) {
    pending = ''
    event.preventDefault()
    if (typeof found.off === 'string') toast({ text: found.off })
    else found.run?.(event)
    return
  }
  pending = inField || withCtrl ? '' : pressed
  pendingSince = event.timeStamp
}

function findShortcut(keys: string): Shortcut | undefined {
  return snapshot.find((shortcut) => shortcut.keys === keys && shortcut.run !== undefined)
}

function nameOf({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): string {
  const name = key.length === 1 ? key.toLowerCase() : key
  if (altKey) return `Alt+${name}`
  return ctrlKey || metaKey ? `Ctrl+${name}` : name
}

function isField(target: EventTarget | undefined): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(target.type)
  return (
    target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
  )
}

/** An open dialog or menu keeps the keys of the page behind it off; its own handlers see the event first. */
function isBehindDialog(event: KeyboardEvent): boolean {
  if (nameOf(event).startsWith('Ctrl+')) return false
  return document.querySelector('[data-modal], [role="menu"]') !== null
}

/** As they stand on the keys: "g l" is G, L. */
export function shownKeys(keys: string): string[] {
  return keys.split(' ').map((key) => {
    if (key === 'Escape') return 'Esc'
    return key.replace('Ctrl+', 'Ctrl ').replace(/\b[a-z]$/, (letter) => letter.toUpperCase())
  })
}
