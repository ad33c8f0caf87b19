import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'

const LOG = new URL('../../src/platform/observe/log.ts', import.meta.url).href
const DESTINATION = new URL('../../src/platform/observe/log.ts', import.meta.url).href

/** A process that logs, with its standard output where the shell puts it. */
function start(code: string, redirection = '') {
  const child = spawn(
    'bash',
    ['-c', `exec "$0" --input-type=module -e "$1" ${redirection}`, process.execPath, code],
    { stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 },
  )
  const ended = once(child, 'exit').then(([status, signal]: unknown[]) => status ?? signal)
  return { child, ended, output: () => text(child.stdout) }
}

const LOGGING = `
  import { createLog } from '${LOG}'
  const log = createLog('info')
  for (let n = 0; n < 5000; n++) log.info({ n }, 'x'.repeat(100))
`
/** Waits until the log had time to write, and serves until then. */
const LATER = (code: string) => `setTimeout(() => { ${code} }, 2500)`

describe('a process that logs', () => {
  it('writes every line, in order, before it exits by itself', async () => {
    const { ended, output } = start(LOGGING)
    const lines = (await output()).trim().split('\n')
    assert.equal(await ended, 0)
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { n: number }).n),
      Array.from({ length: 5_000 }, (_, n) => n),
    )
  })

  it('writes its last lines when it is told to exit', async () => {
    const { ended, output } = start(`
      import { createLog } from '${LOG}'
      createLog('info').info('the last line')
      process.exit(3)`)
    assert.match(await output(), /the last line/)
    assert.equal(await ended, 3)
  })

  it('goes on, and exits, on a full disk', async () => {
    const { ended } = start(`${LOGGING} ${LATER("log.info('last'); process.exit(3)")}`, '> /dev/full')
    assert.equal(await ended, 3)
  })

  it('goes on, and exits, when the reader of its output is gone', async () => {
    const { ended } = start(`${LOGGING} ${LATER("log.info('last'); process.exit(3)")}`, '> >(exit 0)')
    assert.equal(await ended, 3)
  })

  it('goes on, and exits, when the reader of its output has stopped', async () => {
    const { ended } = start(`${LOGGING} ${LATER('process.exit(3)')}`, '> >(exec sleep 20 2> /dev/null)')
    // A thread is blocked in a write: only a signal ends it.
    assert.equal(await ended, 'SIGKILL')
  })

  it('keeps a limited number of lines for a slow reader, and says how many were lost', async () => {
    const { child, ended, output } = start(`
      import { createLogDestination } from '${DESTINATION}'
      const onRecovery = (lost) => log.write('lost ' + lost + '\\n')
      const log = createLogDestination(1, { maxBufferedBytes: 100_000, onRecovery })
      for (let n = 0; n < 20_000; n++) log.write('x'.repeat(99) + '\\n')
      process.stderr.write('written')`)
    await once(child.stderr, 'data')
    const lines = (await output()).trim().split('\n')
    assert.equal(await ended, 0)
    const lost = Number(lines.find((line) => line.startsWith('lost '))?.slice(5))
    assert.ok(lost > 0)
    assert.equal(lines.length - 1 + lost, 20_000)
  })
})
