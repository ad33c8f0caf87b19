import { generateKeyPairSync } from 'node:crypto'
import { createSealStep } from '../src/audit/seals/seal-step.ts'
import { createLeader } from '../src/maintenance/leader.ts'
import type { Step } from '../src/maintenance/step.ts'
import { createLog } from '../src/platform/observe/log.ts'
import { SecretText } from '../src/platform/secrets/secret-text.ts'
import { createSigner } from '../src/platform/secrets/signer.ts'
import { startAgentBench, writeUpdates } from './agents.ts'
import { type BenchOptions, type Contender, contest } from './contest.ts'
import { cpuMicros } from './cpu.ts'
import { createPolicyMeter } from './policy.ts'

/** A seal covers at least 50 s. */
const ROUND_SECONDS = 60

/** PUTs of whole agents for a minute, and then the seal over the audit records of that minute. The CPU time per record of the seal,
 * and that of the policy which protects sealed times, is what the seals add to a PUT. */
export async function benchSeals({ rounds }: BenchOptions): Promise<void> {
  await using started = new AsyncDisposableStack()
  const bench = await startAgentBench({ updates: { MAINTENANCE: 'off' } })
  started.defer(bench.close)
  const sealer = createSealer(bench.databaseUrl)
  started.defer(sealer.close)
  const policy = await createPolicyMeter(bench.databaseUrl)
  started.defer(policy.close)
  const measure: Contender['measure'] = async (seconds) => {
    const sealed = await sealer.measure(seconds)
    return { ...sealed, cpuMicros: sealed.cpuMicros + sealed.requests * (await policy.microsPerRecord()) }
  }
  const contenders = [
    ...bench.consoles(await writeUpdates(bench.folder)),
    { name: 'seals and policy', measure },
  ]
  const limit = { of: 'seals and policy', against: 'updates', costAtMost: 0.02 }
  await contest('seals', contenders, [limit], { rounds, seconds: ROUND_SECONDS })
}

interface Sealer extends Pick<Contender, 'measure'> {
  close: () => Promise<void>
}

/** Seals every record that is there, in this process, with the steps of the console. Measures this process and its connection, and not
 * the background processes of PostgreSQL: they still work for the updates before. */
function createSealer(databaseUrl: string): Sealer {
  const { privateKey } = generateKeyPairSync('ed25519')
  const key = new SecretText(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
  let records = 0
  const log = createLog('info', {
    write: (line) => void (records += (JSON.parse(line) as { records?: number }).records ?? 0),
  })
  const leader = createLeader(databaseUrl, log)
  const seal = createSealStep({ signer: createSigner([key]), log, setSealedUntil: () => {}, graceMs: 0 })
  const connection = { pid: 0, before: 0 }
  const run: Step['run'] = async (sql) => {
    if (connection.pid === 0) {
      const [row] = await sql.read<{ pid: number }>({
        name: undefined,
        text: 'SELECT pg_backend_pid() AS pid',
        values: [],
      })
      connection.pid = row?.pid ?? 0
      connection.before = cpuMicros(connection.pid)
    }
    return seal(sql)
  }
  return {
    measure: async () => {
      const [start, before] = [performance.now(), cpuMicros(process.pid)]
      records = 0
      connection.pid = 0
      const step = { name: 'seals', intervalMs: 0, run }
      while ((await leader.runStep(step, Date.now() / 1_000)).outcome === 'more');
      const used = cpuMicros(connection.pid) - connection.before
      return {
        requests: records,
        seconds: (performance.now() - start) / 1_000,
        cpuMicros: cpuMicros(process.pid) - before + used,
      }
    },
    close: leader.close,
  }
}
