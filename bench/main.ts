import { parseArgs } from 'node:util'
import { orExit } from '../scripts/options.ts'
import type { BenchOptions } from './contest.ts'
import { benchForward } from './forward.ts'
import { benchRead } from './read.ts'
import { benchRelay } from './relay.ts'
import { benchTracing } from './tracing.ts'
import { benchUpdate } from './update.ts'

const BENCHES: Record<string, (options: BenchOptions) => Promise<void>> = {
  forward: benchForward,
  update: benchUpdate,
  read: benchRead,
  relay: benchRelay,
  tracing: benchTracing,
}

const HELP = `npm run bench -- NAME [--rounds 20] [--seconds 1]

Measures the CPU time per request of the console and of simpler programs that do the same work, in alternating rounds.

  forward   an evolution status: the console, a bare Fastify and undici gateway, nginx
  update    a PUT of a whole agent: the console, its statements by pgbench, the smallest statement that writes the same rows
  read      a GET of a whole agent: the console, a bare Fastify and pg that sends the same statement, the statement by pgbench
  relay     a backlog of events: the relay, a loop that only publishes
  tracing   a GET of a whole agent: the console without tracing, with 1 % and with 100 % of the requests traced

The last line is the verdict: ok, below the floor, above the limit, or machine too busy to tell
(the limit lies inside the confidence interval of the ratio: use more rounds, or a quieter machine).
The exit code is 1 below the floor or above the limit, 2 after an error, else 0. BENCH_NODE_OPTIONS is passed to the console,
for example --cpu-prof.
`

const { values, positionals } = orExit(() =>
  parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '20' },
      seconds: { type: 'string', default: '1' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  }),
)
const bench = BENCHES[positionals[0] ?? '']
if (values.help) {
  process.stdout.write(HELP)
} else if (bench) {
  await bench({ rounds: Number(values.rounds), seconds: Number(values.seconds) }).catch((error: Error) => {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 2
  })
} else {
  process.stderr.write(HELP)
  process.exitCode = 2
}
