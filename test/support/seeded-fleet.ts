import { type FleetOptions, teamId } from '../../scripts/seed/fleet.ts'
import { seed } from '../../scripts/seed.ts'
import { createTestDatabase } from './database.ts'

export interface Fleet {
  url: string
  largestTeam: string
  close: () => Promise<void>
}

/** A database with a generated fleet: the one that was made before, where there is one, else a new one. */
export async function openFleet(options: Omit<FleetOptions, 'seed'>, made?: string): Promise<Fleet> {
  const largestTeam = teamId(0)
  if (made !== undefined) return { url: made, largestTeam, close: async () => {} }
  const database = await createTestDatabase()
  await seed(database.url, { ...options, seed: 1 }, (line) => process.stdout.write(`${line}\n`))
  return { url: database.url, largestTeam, close: database.drop }
}
