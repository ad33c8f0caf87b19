import { generateKeyPairSync } from 'node:crypto'
import { createSealStep } from '../src/audit/seals/seal-step.ts'
import { createLeader } from '../src/maintenance/leader.ts'
import { createLog } from '../src/platform/observe/log.ts'
import { SecretText } from '../src/platform/secrets/secret-text.ts'
import { createSigner } from '../src/platform/secrets/signer.ts'
import { type AgentBench, startAgentBench, writeUpdates } from './agents.ts'
import { type BenchOptions, contest, measuring } from './contest.ts'
import type { Load } from './wrk.ts'

/** A seal covers at least 50 s. */
const ROUND_SECONDS = 60

/** PUTs of whole agents for a minute, and then the seal over the audit records of that minute. The CPU time per record of the seal
 * is what the seals add to a PUT. */
export async function benchSeals({ rounds }: BenchOptions): Promise<void> {
  await using started = new AsyncDisposableStack()
  const bench = await startAgentBench({ updates: { MAINTENANCE: 'off' } })
  started.defer(bench.close)
  const { seal, close } = createSealer(bench)
  started.defer(close)
  const seals = { name: 'seals', measure: measuring([bench.postgres, process.pid], seal) }
  const contenders = [...bench.consoles(await writeUpdates(bench.folder)), seals]
  const limit = { of: 'seals', against: 'updates', costAtMost: 0.02 }
  await contest('seals', contenders, [limit], { rounds, seconds: ROUND_SECONDS })
}

/** Seals every record that is there, in this process, with the steps of the console. */
function createSealer({ databaseUrl }: AgentBench): {
  seal: () => Promise<Load>
  close: () => Promise<void>
} {
  const { privateKey } = generateKeyPairSync('ed25519')
  const key = new SecretText(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  let records = 0
  const log = createLog('info', {
    write: (line) => void (records += (JSON.parse(line) as { records?: number }).records ?? 0),
  })
  const leader = createLeader(databaseUrl, log)
  const run = createSealStep({ signer: createSigner([key]), log, setSealedUntil: () => {}, graceMs: 0 })
  const step = { name: 'seals', intervalMs: 0, run }
  return {
    seal: async () => {
      const start = performance.now()
      records = 0
      while ((await leader.runStep(step, Date.now() / 1_000)).outcome === 'more');
      return { requests: records, seconds: (performance.now() - start) / 1_000 }
    },
    close: leader.close,
  }
}
