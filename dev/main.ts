import { join, relative } from 'node:path'
import { DevError } from './run/dev-error.ts'
import { createLifetime, type Lifetime } from './run/lifetime.ts'
import { takeLock } from './run/lock.ts'
import { HELP, readOptions } from './run/options.ts'
import { endOrphans } from './run/orphan.ts'
import { checkPorts, readPorts } from './run/ports.ts'
import { renderScreen } from './run/screen.ts'
import { STEP_NAMES, type Started, start } from './run/start.ts'
import { openState, resetFolder, type State } from './run/state.ts'
import { createSteps } from './run/steps.ts'
import { keepToken } from './run/token.ts'

/** Everything the console needs, on one machine, until Ctrl-C. */

const ROOT = join(import.meta.dirname, '..')
const { stdout, stderr } = process
const HOUR_MS = 3_600_000
/** In a terminal npm passes on the signal that this process has got already. */
const SAME_SIGNAL_MS = 300

/** What a killed `npm run dev` started has ended after this time: see end-with-parent.js. */
const ORPHANS_MS = 10_000

/** Resolves at the first signal. A second one kills what has not ended yet. */
function interruption(lifetime: Lifetime): Promise<void> {
  return new Promise((resolve) => {
    let firstAt: number | undefined
    const onSignal = () => {
      firstAt ??= performance.now()
      resolve()
      if (performance.now() - firstAt > SAME_SIGNAL_MS) lifetime.hurry()
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal)
  })
}

async function run(lifetime: Lifetime, isReset: boolean): Promise<void> {
  const { env: environment } = process
  const folder = environment['DEV_FOLDER'] || join(ROOT, '.dev')
  const host = environment['HOST'] || '127.0.0.1'
  const ports = readPorts(environment)
  const { wasKilled, release } = takeLock(folder)
  lifetime.onEnd('self', async () => release())
  await checkPorts(ports, host, wasKilled ? ORPHANS_MS : 0)
  await endOrphans(folder)
  if (isReset) resetFolder(folder)
  lifetime.check()
  const state = await openState(folder)

  stdout.write('Agent Console, for development\n')
  const steps = createSteps(STEP_NAMES, stdout, lifetime.ending)
  const started = await start({ environment, ports, host, isReset, state, lifetime, steps })
  lifetime.check()
  stdout.write(
    renderScreen({ ...started, ...started.shown, folder: relative(process.cwd(), folder) }, stdout),
  )
  await oneEnds(started, state, lifetime)
}

/** Throws a sentence when a process has ended that nothing works without. */
async function oneEnds(
  { needed, services, issuerUrl }: Started,
  state: State,
  lifetime: Lifetime,
): Promise<void> {
  setInterval(() => void keepToken(state, issuerUrl).catch(() => {}), HOUR_MS).unref()
  const reportServices = async () => {
    const sentence = await services.ended
    if (!lifetime.ending.aborted) stderr.write(`\n${sentence}\nThe console goes on without the services.\n`)
  }
  void reportServices()
  throw new DevError(await Promise.race(needed.map(({ ended }) => ended)))
}

const lifetime = createLifetime()
const interrupted = interruption(lifetime)
// A terminal that was closed takes no more output.
for (const stream of [stdout, stderr]) stream.on('error', () => {})
try {
  const { isHelp, isReset } = readOptions(process.argv.slice(2), process.env)
  if (isHelp) stdout.write(HELP)
  else {
    const running = run(lifetime, isReset)
    // What the end interrupts has not failed.
    running.catch(() => {})
    await Promise.race([running, interrupted])
    stdout.write('\nEnding everything.\n')
  }
} catch (error) {
  const { message, stack } = error as Error
  stderr.write(`\n${error instanceof DevError ? message : stack}\n`)
  process.exitCode = 1
}
await lifetime.end()
process.exit()
