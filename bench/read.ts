import { findAgent } from '../src/agents/configuration/store.ts'
import { RANDOM_AGENT, startAgentBench, writeReads } from './agents.ts'
import { type BenchOptions, contest } from './contest.ts'
import { capture, toScript } from './statement.ts'

/** A GET of a whole agent, against the same statement by pgbench. */
export async function benchRead(options: BenchOptions): Promise<void> {
  const bench = await startAgentBench()
  try {
    const statement = await capture((sql) => findAgent(sql, '', '', false))
    const script = `${RANDOM_AGENT.set}\n${toScript(statement, { 1: RANDOM_AGENT.team, 2: RANDOM_AGENT.id })};`
    const lua = await writeReads(bench.folder)
    await contest(
      'read',
      [...bench.consoles(lua), bench.pgbench('pgbench', script)],
      [{ of: 'console', against: 'pgbench', shareAtLeast: 0.35 }],
      options,
    )
  } finally {
    await bench.close()
  }
}
