import { generateKeyPairSync } from 'node:crypto'
import { startAgentBench, writeUpdates } from './agents.ts'
import { type BenchOptions, contest } from './contest.ts'

const SEALED = 'sealed'
const UNSEALED = 'not sealed'

/** A PUT of a whole agent while the console seals the audit log every minute, and while no console does. The seals of a round cover
 * what the round before has written, too. */
export async function benchSeals({ rounds }: BenchOptions): Promise<void> {
  const { privateKey } = generateKeyPairSync('ed25519')
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const bench = await startAgentBench({
    [SEALED]: { AUDIT_SIGNING_KEY: key },
    [UNSEALED]: { MAINTENANCE: 'off' },
  })
  try {
    const contenders = bench.consoles(await writeUpdates(bench.folder))
    const limit = { of: SEALED, against: UNSEALED, costAtMost: 1.02 }
    // Each round has at least two seals.
    await contest('seals', contenders, [limit], { rounds, seconds: 130 })
  } finally {
    await bench.close()
  }
}
