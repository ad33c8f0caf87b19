import { useSyncExternalStore } from 'react'

/** Unsaved work of this tab: it survives a reload and a new sign-in. Never put a secret into it. */
export interface Draft<Values> {
  /** The revision that the values were changed from. */
  revision: number
  values: Values
  /** Unix time in seconds. */
  at: number
}

const listeners = new Set<() => void>()

/** Of one user, so that the next user of the tab does not find it. */
export function draftKey(userId: string, kind: 'configuration' | 'genome' | 'create', id: string): string {
  return `draft:${userId}:${kind}:${id}`
}

export function readDraft<Values>(key: string): Draft<Values> | undefined {
  const text = sessionStorage.getItem(key)
  if (text === null) return undefined
  try {
    return JSON.parse(text) as Draft<Values>
  } catch {
    sessionStorage.removeItem(key)
    return undefined
  }
}

/** false: the browser has no room for it. */
export function writeDraft<Values>(key: string, draft: Draft<Values>): boolean {
  try {
    sessionStorage.setItem(key, JSON.stringify(draft))
    announce()
    return true
  } catch {
    return false
  }
}

export function dropDraft(key: string): void {
  sessionStorage.removeItem(key)
  announce()
}

function announce(): void {
  for (const listener of listeners) listener()
}

export function useHasDraft(key: string): boolean {
  return useSyncExternalStore(subscribe, () => sessionStorage.getItem(key) !== null)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
