import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Bytes that may pass between two forced collections. */
const EVERY_BYTES = 8 * 1024 * 1024

type Collect = (options: { type: 'minor' }) => void

// Module state, because memory belongs to the process.
let passedBytes = 0
let collect: Collect | undefined

/** Forces a minor GC after every 8 MiB that passed through the process. Each chunk is a buffer outside V8's heap and
 * garbage as soon as it was sent, but V8 counts only the small wrapper object on its heap and lets 80 MiB of buffers pile up.
 * A minor GC frees them in a millisecond. */
export function countPassedBytes(bytes: number): void {
  passedBytes += bytes
  if (passedBytes < EVERY_BYTES) return
  passedBytes = 0
  collect ??= exposeCollect()
  collect({ type: 'minor' })
}

/** Only contexts created after the flag was set have `gc`. Without it memory grows somewhat more, and nothing breaks. */
function exposeCollect(): Collect {
  try {
    setFlagsFromString('--expose-gc')
    return runInNewContext('gc') as Collect
  } catch {
    return () => {}
  }
}
