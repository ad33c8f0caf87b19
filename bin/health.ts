/** Exits with 0 when the server of this container responds, with 1 when it does not. It needs no shell and no curl. */

const TIMEOUT_MS = 3_000

const host = process.env['HOST'] || '127.0.0.1'
const address = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host
const url =
  process.argv[2] === 'relay'
    ? `http://${address}:${process.env['METRICS_PORT'] || '9464'}/metrics`
    : `http://${address}:${process.env['PORT'] || '8080'}/health/live`

try {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!response.ok) throw new Error(`status ${response.status}`)
} catch (error) {
  process.stderr.write(`${url}: ${(error as Error).message}\n`)
  process.exitCode = 1
}
