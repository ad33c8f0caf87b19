import { drillRestore } from './drill/drill.ts'
import { HELP, readDrillOptions } from './drill/options.ts'
import { formatStep, summarise } from './drill/steps.ts'
import { orExit } from './options.ts'

/** A rehearsal of a restore, with the real repository. See docs/backup.md. */
if (import.meta.main) {
  const options = orExit(readDrillOptions)
  if (options === 'help') {
    process.stdout.write(HELP)
    process.exit(0)
  }
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => interrupted.abort(new Error('interrupted')))
  const print = (line: string) => process.stdout.write(`${line}\n`)
  const steps = await drillRestore(options, (step) => print(formatStep(step)), interrupted.signal)
  print(`\n${summarise(steps)}`)
  process.exitCode = steps.some(({ level }) => level === 'problem') ? 1 : 0
}
