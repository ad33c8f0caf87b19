import { toast } from './toast.tsx'

/** Copies a text, or one that must be fetched, and says so. */
export async function copyText(text: string | (() => string | Promise<string>), done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(typeof text === 'string' ? text : await text())
    toast({ text: done })
  } catch {
    toast({ text: 'The browser did not allow copying', fault: true })
  }
}
