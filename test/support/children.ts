import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** A process beside this one: whoever measures it does not measure himself. */
export interface Child<Started> {
  started: Started
  ask: <Answer>(command: unknown) => Promise<Answer>
}

/** Starts a script of this folder, which is told its options, says when it has started and answers each command. */
export type StartChild = <Started>(script: string, options: unknown) => Promise<Child<Started>>

/** Ends all that were started, however the work ends. */
export async function withChildren(work: (start: StartChild) => Promise<void>): Promise<void> {
  const children: ChildProcess[] = []
  const start: StartChild = async <Started>(script: string, options: unknown) => {
    const child = fork(new URL(script, import.meta.url))
    children.push(child)
    const ask = async <Answer>(command: unknown) => {
      const answer = nextMessage(child)
      child.send(command as object)
      return (await answer) as Answer
    }
    return { started: await ask<Started>(options), ask }
  }
  try {
    await work(start)
  } finally {
    await Promise.all(children.map(end))
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error('The process ended'))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message)
    })
  })
}
