import { parseArgs } from 'node:util'
import { benchForward } from './forward.ts'
import { benchRead } from './read.ts'
import { benchRelay } from './relay.ts'
import { benchUpdate } from './update.ts'

/** `npm run bench -- forward`: measures, prints what was measured, and fails below the floor. */
const BENCHES: Record<string, (options: { rounds: number; seconds: number }) => Promise<void>> = {
  forward: benchForward,
  update: benchUpdate,
  read: benchRead,
  relay: benchRelay,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '3' }, seconds: { type: 'string', default: '8' } },
})
const bench = BENCHES[positionals[0] ?? '']
if (bench) {
  await bench({ rounds: Number(values.rounds), seconds: Number(values.seconds) })
} else {
  process.stderr.write(`npm run bench -- ${Object.keys(BENCHES).join('|')} [--rounds 3] [--seconds 8]\n`)
  process.exitCode = 2
}
