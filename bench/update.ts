import { SETTABLE_COLUMNS } from '../src/agents/columns.ts'
import { updateAgent } from '../src/agents/store.ts'
import { FULL_UPDATE, RANDOM_AGENT, startAgentBench, writeLua } from './agents.ts'
import { contest } from './contest.ts'
import { capture, toScript } from './statement.ts'
import { measure } from './wrk.ts'

const FLOOR = 0.35

/** A whole agent put back with one field changed, against the same statement on the bare engine. */
export async function benchUpdate(options: { rounds: number; seconds: number }): Promise<void> {
  const bench = await startAgentBench()
  try {
    const statement = await capture((sql) =>
      updateAgent(sql, '', '', {
        expectedRevisions: null,
        now: 1_794_700_000,
        changedBy: '',
        action: 'updated',
        restoredRevision: null,
        eventId: '',
        requestId: 'bench',
        values: { ...FULL_UPDATE, purpose: '' },
        secrets: { api_key: { action: 'keep' }, github_token: { action: 'clear' } },
      }),
    )
    const purpose = 9 + SETTABLE_COLUMNS.findIndex(({ name }) => name === 'purpose')
    const script = [
      RANDOM_AGENT.set,
      '\\set r random(1, 1000000000)',
      `${toScript(statement, {
        1: RANDOM_AGENT.team,
        2: RANDOM_AGENT.id,
        5: RANDOM_AGENT.user,
        [purpose]: ':r::text',
        [statement.values.length - 1]: 'gen_random_uuid()',
      })};`,
    ].join('\n')
    const body = JSON.stringify(FULL_UPDATE).slice(0, -1)
    const lua = await writeLua(
      bench.folder,
      `
wrk.method = "PUT"
wrk.headers["Content-Type"] = "application/json"
function request()
  n = n + 1
  return wrk.format(nil, path(), nil, [==[${body},"purpose":"]==] .. math.random(1, 1000000000) .. '"}')
end`,
    )
    const headers = { authorization: bench.authorization }
    const results = await contest(
      [
        { name: 'console', run: (s) => measure({ url: bench.url, headers, script: lua }, s) },
        { name: 'pgbench', run: (s) => bench.pgbench(script, s) },
      ],
      options,
    )
    report('update', results, FLOOR, 0.45)
  } finally {
    await bench.close()
  }
}

export function report(name: string, results: Map<string, number>, floor: number, aim: number): void {
  const [own = 0, bare = 0] = [results.get('console'), results.get('pgbench')]
  const ratio = own / bare
  process.stdout.write(
    `\n${name}, medians: console ${own.toFixed(0)}/s, bare engine ${bare.toFixed(0)}/s\n` +
      `  ${ratio.toFixed(2)} of the bare engine (at least ${floor}, aim ${aim})\n`,
  )
  if (ratio < floor) process.exitCode = 1
}
