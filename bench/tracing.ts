import { createServer } from 'node:http'
import { onFreePort } from '../dev/free-port.ts'
import { listen, stopListening } from '../dev/http-service.ts'
import { startAgentBench, writeReads } from './agents.ts'
import { type BenchOptions, contest } from './contest.ts'

const OFF = 'not traced'
const SOME = '1 % traced'
const ALL = '100 % traced'
/** Shows how much two programs differ that are the same. */
const SAME = 'not traced, other processes'
const PROCESSES = 4

/** A GET of a whole agent without tracing, with one request in a hundred traced, and with all. */
export async function benchTracing(options: BenchOptions): Promise<void> {
  const collector = createServer((request, response) => {
    request.resume().on('end', () => response.end('{}'))
  })
  const port = await onFreePort((free) => listen(collector, free, '127.0.0.1'))
  const traced = (ratio: string) => ({
    TRACES_URL: `http://127.0.0.1:${port}/v1/traces`,
    TRACES_SAMPLE_RATIO: ratio,
  })
  try {
    const environments = { [OFF]: {}, [SAME]: {}, [SOME]: traced('0.01'), [ALL]: traced('1') }
    const bench = await startAgentBench(environments, PROCESSES)
    try {
      const limits = [
        { of: SOME, against: OFF, costAtMost: 1.05 },
        { of: ALL, against: OFF },
        { of: SAME, against: OFF },
      ]
      await contest('tracing', bench.consoles(await writeReads(bench.folder)), limits, options)
    } finally {
      await bench.close()
    }
  } finally {
    await stopListening(collector)
  }
}
