import { findAgent } from '../src/agents/configuration/store.ts'
import { RANDOM_AGENT, startAgentBench, writeLua } from './agents.ts'
import { contest } from './contest.ts'
import { capture, toScript } from './statement.ts'
import { report } from './update.ts'
import { measure } from './wrk.ts'

/** A whole agent read, against the same statement on the bare engine. */
export async function benchRead(options: { rounds: number; seconds: number }): Promise<void> {
  const bench = await startAgentBench()
  try {
    const statement = await capture((sql) => findAgent(sql, '', '', false))
    const script = `${RANDOM_AGENT.set}\n${toScript(statement, { 1: RANDOM_AGENT.team, 2: RANDOM_AGENT.id })};`
    const lua = await writeLua(bench.folder, 'function request() return wrk.format("GET", path()) end')
    const headers = { authorization: bench.authorization }
    const results = await contest(
      [
        { name: 'console', run: (s) => measure({ url: bench.url, headers, script: lua }, s) },
        { name: 'pgbench', run: (s) => bench.pgbench(script, s) },
      ],
      options,
    )
    report('read', results, 'console', 'pgbench', 0.35)
  } finally {
    await bench.close()
  }
}
