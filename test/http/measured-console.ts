import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { after } from 'node:test'
import type { Command, LoopReport, Started } from '../support/console-process.ts'

/** A console in another process, and what its event loop says of itself. */
export interface MeasuredConsole extends Started {
  reset: () => Promise<void>
  report: () => Promise<LoopReport>
  close: () => Promise<void>
}

/** Closed after the last test of the calling file or suite. */
export async function useMeasuredConsole(): Promise<MeasuredConsole> {
  const running = await startMeasuredConsole()
  after(() => running.close())
  return running
}

async function startMeasuredConsole(): Promise<MeasuredConsole> {
  const child = fork(new URL('../support/console-process.ts', import.meta.url))
  const started = (await nextMessage(child)) as Started
  const ask = (command: Command) => {
    const answer = nextMessage(child)
    child.send(command)
    return answer
  }
  return {
    ...started,
    reset: async () => void (await ask('reset')),
    report: async () => (await ask('report')) as LoopReport,
    close: async () => {
      const exited = once(child, 'exit')
      child.send('close' satisfies Command)
      await exited
    },
  }
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('The console ended'))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message)
    })
  })
}
