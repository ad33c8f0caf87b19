import type { Run } from '../context.ts'
import { runBridge } from '../mcp/bridge.ts'
import { linesOf } from '../mcp/lines.ts'

export const run: Run = async ({ io, connect, note, print, timeoutMs }) => {
  if (io.stdin.isTerminal) {
    note('This passes messages of MCP from standard input to the console. A host starts it. Ctrl-D ends it.')
  }
  io.endWithReader()
  try {
    await runBridge({
      lines: linesOf(io.stdin.chunks()),
      send: (line) => print(`${line}\n`),
      note,
      connect,
      signal: io.signal,
      timeoutMs,
    })
  } catch (error) {
    // A host ends a server with SIGTERM: that is no failure.
    if (!io.signal.aborted) throw error
  }
  return undefined
}
