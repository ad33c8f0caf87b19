import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { COLLECTION } from '../support/agents.ts'
import { HOSTILE_BODIES } from './hostile-bodies.ts'
import { useMeasuredConsole } from './measured-console.ts'

/** The least of them counts: what a body costs, it costs each time, unlike what the machine takes from the process. */
const TIMES = 3
const WARM_UP = 200
/** What is worth telling. Half of such a turn is V8 reading a megabyte of JSON. */
const LONG_TURN_MS = 50
/** Far above every figure measured, far below anything that grows faster than the body. */
const TOO_LONG_MS = 500

const EMPTY = JSON.stringify({
  agent_params: null,
  evaluated_harnesses: null,
  delegated_agents: [],
  white_box_config: null,
  agent_system_prompt: null,
})

describe('a body of 1 MiB made to be as much work as it can be', async () => {
  const running = await useMeasuredConsole()
  for (let count = 0; count < WARM_UP; count++) await put(EMPTY)

  const long: string[] = []

  async function put(body: string | Buffer): Promise<number> {
    const response = await fetch(`${running.url}${COLLECTION}/${running.id}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${running.token}` },
      body,
    })
    await response.arrayBuffer()
    return response.status
  }

  for (const [name, body] of Object.entries(HOSTILE_BODIES)) {
    it(`is no 5xx and no long absence: ${name}`, async () => {
      assert.ok(Buffer.byteLength(body) <= 1024 * 1024)
      let status = 0
      let least = { cpuMs: Number.POSITIVE_INFINITY, wallMs: Number.POSITIVE_INFINITY }
      for (let count = 0; count < TIMES; count++) {
        await running.reset()
        status = await put(body)
        const turn = await running.report()
        if (turn.cpuMs < least.cpuMs) least = turn
      }
      const { cpuMs, wallMs } = least
      if (cpuMs > LONG_TURN_MS) {
        long.push(`${name} (${status}): ${cpuMs.toFixed(0)} ms of work, ${wallMs.toFixed(0)} ms by the clock`)
      }
      assert.ok(status < 500, `${status}`)
      assert.ok(cpuMs < TOO_LONG_MS, `${cpuMs} ms`)
      if (status === 200) assert.equal(await put(EMPTY), 200)
    })
  }

  it('is told of where it takes more than 50 ms', (t) => {
    t.diagnostic(`${long.length} of ${Object.keys(HOSTILE_BODIES).length} bodies`)
    for (const line of long) t.diagnostic(line)
  })
})
