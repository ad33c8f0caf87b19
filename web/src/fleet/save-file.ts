const REVOKE_AFTER_MS = 60_000

export function saveFile(name: string, type: string, parts: BlobPart[]): void {
  const url = URL.createObjectURL(new Blob(parts, { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_AFTER_MS)
}

/** agents-2026-11-16.csv */
export function fileName(what: string, extension: string): string {
  return `${what}-${new Date().toISOString().slice(0, 10)}.${extension}`
}
