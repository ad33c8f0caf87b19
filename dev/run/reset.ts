import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Empties the folder, but for the lock that the caller holds. */
export function resetFolder(folder: string): void {
  for (const name of readdirSync(folder)) {
    // The cache holds compiled code alone, and this process is using it.
    if (name !== 'lock' && name !== 'cache') rmSync(join(folder, name), { recursive: true, force: true })
  }
}
