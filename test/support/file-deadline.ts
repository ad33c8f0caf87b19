import { Socket } from 'node:net'
import { basename } from 'node:path'
import { after } from 'node:test'

/** Preloaded into every process of a test file (`--import`). Node's `--test-timeout` limits each test, but does not
 * end a process that stays alive when its tests are done, or whose tests are never collected. This does, and reports
 * what was alive. `--test-force-exit` would end such a process too, but would hide the leak. */

/** How long a process may live after its last test. */
const EXIT_GRACE_MS = Number(process.env['TEST_EXIT_GRACE_MS'] ?? 20_000)
/** How long a process may take, with one file or with several in turn: far more than any takes on a busy machine. */
const FILE_TIMEOUT_MS = Number(process.env['TEST_FILE_TIMEOUT_MS'] ?? 600_000)

function end(reason: string): never {
  const counts = new Map<string, number>()
  for (const resource of process.getActiveResourcesInfo()) {
    counts.set(resource, (counts.get(resource) ?? 0) + 1)
  }
  const alive = [...counts].map(([resource, count]) => `${count} × ${resource}`).join(', ')
  const file = basename(process.argv[1] ?? '')
  process.stderr.write(`${file} ${reason}. What is alive: ${alive || 'nothing'}${describeSockets()}\n`)
  process.exit(1)
}

/** The addresses say which server a leaked connection belongs to. Node has no documented list of open sockets. */
function describeSockets(): string {
  const { _getActiveHandles: handles } = process as unknown as { _getActiveHandles: () => unknown[] }
  const sockets = handles().filter((handle) => handle instanceof Socket && handle.remotePort !== undefined)
  return (sockets as Socket[])
    .map(
      ({ localPort, remotePort, readyState }) =>
        `; a socket from ${localPort} to ${remotePort}, ${readyState}`,
    )
    .join('')
}

// The runner preloads it as well, and lives as long as all files together.
if (process.env['NODE_TEST_CONTEXT'] !== undefined) {
  setTimeout(() => end(`did not finish within ${FILE_TIMEOUT_MS} ms`), FILE_TIMEOUT_MS).unref()
  after(() => {
    const exitDeadline = () => end(`did not exit within ${EXIT_GRACE_MS} ms after its last test`)
    setTimeout(exitDeadline, EXIT_GRACE_MS).unref()
  })
}
