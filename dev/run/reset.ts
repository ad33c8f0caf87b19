import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { endOrphan } from './orphan.ts'

/** Empties the folder, but for the lock that the caller holds. */
export async function resetFolder(folder: string): Promise<void> {
  await endOrphan(join(folder, 'postgres/postmaster.pid'), join(folder, 'postgres'), 'SIGINT')
  await endOrphan(join(folder, 'nats.pid'), join(folder, 'nats'), 'SIGTERM')
  for (const name of readdirSync(folder)) {
    // The cache holds compiled code alone, and this process is using it.
    if (name !== 'lock' && name !== 'cache') rmSync(join(folder, name), { recursive: true, force: true })
  }
}
