import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How much may pass before its buffers are collected. */
const EVERY_BYTES = 8 * 1024 * 1024

type Collect = (options: { type: 'minor' }) => void

// Of the process, as its memory is.
let passed = 0
let collect: Collect | undefined

/** To be told of all that passes. Each chunk is a buffer outside V8's heap, dead as soon as it was sent. For the sake of a
 * few small objects V8 does not collect yet, and lets 80 MiB of such buffers pile up behind them; a young collection frees
 * them in a millisecond. */
export function relieve(bytes: number): void {
  passed += bytes
  if (passed < EVERY_BYTES) return
  passed = 0
  collect ??= exposeCollect()
  collect({ type: 'minor' })
}

/** Only new contexts get to see it. Where V8 is not to be asked, memory grows a little more, and nothing breaks. */
function exposeCollect(): Collect {
  try {
    setFlagsFromString('--expose-gc')
    return runInNewContext('gc') as Collect
  } catch {
    return () => {}
  }
}
