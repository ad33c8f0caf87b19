import { parseArgs } from 'node:util'
import { parseInteger } from '../../src/config/reader.ts'
import { readOption } from '../options.ts'
import type { FleetOptions } from './fleet.ts'

export const HELP = `DATABASE_URL=postgres://… npm run seed [-- --agents 10000 --seed 1]

Fills an empty, migrated database with agents in many teams: the largest has a hundredth of them.

  --agents N   how many, 1 to 100000000 (10000)
  --seed N     the same agents for the same number, 0 to 4294967295 (1)
  --help       prints this
`

/** Throws a sentence for a mistake in the options. */
export function readSeedOptions(): FleetOptions | 'help' {
  const { values } = parseArgs({
    options: {
      agents: { type: 'string', default: '10000' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return 'help'
  return {
    agents: readOption('--agents', () => parseInteger(values.agents, 1, 100_000_000)),
    seed: readOption('--seed', () => parseInteger(values.seed, 0, 4_294_967_295)),
  }
}
