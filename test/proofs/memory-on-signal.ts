import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Loaded into a process before its own script: it then says on a signal how much memory it holds on to. */
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

process.on('SIGUSR2', () => {
  collectGarbage()
  // What the first has set free may have held on to something outside of the heap.
  setImmediate(() => {
    collectGarbage()
    process.stdout.write(`memory ${JSON.stringify(process.memoryUsage())}\n`)
  })
})
