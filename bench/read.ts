import { findAgent } from '../src/agent/agents.ts'
import { RANDOM_AGENT, startAgentBench, writeReads } from './agents.ts'
import { type BenchOptions, contest } from './contest.ts'
import { capture, toScript } from './statement.ts'

const BARE = 'bare Fastify and pg'

/** A GET of a whole agent, against a bare program that sends the same statement, and against the same statement by pgbench. */
export async function benchRead(options: BenchOptions): Promise<void> {
  const bench = await startAgentBench()
  try {
    const statement = await capture((sql) => findAgent(sql, 'team', 'agent', false))
    const script = `${RANDOM_AGENT.set}\n${toScript(statement, { team: RANDOM_AGENT.team, agent: RANDOM_AGENT.id })};`
    const lua = await writeReads(bench.folder)
    await contest(
      'read',
      [
        ...bench.consoles(lua),
        await bench.bareReader(BARE, statement, lua),
        bench.pgbench('pgbench', script),
      ],
      [
        { of: 'console', against: BARE, costAtMost: 1.4 },
        { of: 'console', against: 'pgbench' },
      ],
      options,
    )
  } finally {
    await bench.close()
  }
}
