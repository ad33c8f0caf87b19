import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeAfter } from '../../../test/support/close-after.ts'

export interface RpcMessage {
  id?: number | string | null
  result?: Record<string, unknown>
  error?: { code: number; message: string; data?: { status?: number; code?: string; request_id?: string } }
}

/** A process of the bridge that a test talks to as a host does. Every line of its standard output must be a message. */
export function startBridge(program: string, env: Record<string, string | undefined>, argv: string[] = []) {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [program, 'mcp', ...argv], { env })
  closeAfter(() => child.kill('SIGKILL'))
  const waiting = new Map<unknown, (message: RpcMessage) => void>()
  const messages: RpcMessage[] = []
  const output = { stdout: '', stderr: '' }
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const message = JSON.parse(line) as RpcMessage
      messages.push(message)
      waiting.get(message.id)?.(message)
    }
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  let nextId = 0
  const write = (text: string) => child.stdin.write(`${text}\n`)
  const response = (id: unknown) =>
    new Promise<RpcMessage>((resolve, reject) => {
      waiting.set(id, resolve)
      void closed.then(() => reject(new Error(`The bridge ended. ${output.stderr}`)))
    })
  const notify = (method: string, params: object = {}) =>
    write(JSON.stringify({ jsonrpc: '2.0', method, params }))
  return {
    child,
    messages,
    output,
    /** The exit code, and the signal that ended it. */
    closed,
    write,
    notify,
    response,
    /** A request of revision 2025-11-25, which any other revision than the newest one looks like. */
    request: (method: string, params: object = {}, id: number | string = ++nextId) => {
      const answered = response(id)
      write(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      return answered
    },
    call: (name: string, args: object = {}) => {
      const id = ++nextId
      const answered = response(id)
      write(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } }))
      return answered
    },
  }
}
