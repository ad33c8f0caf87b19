import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { seedOr, sized } from '../support/sized.ts'
import { type FuzzInput, fuzzInput } from './fuzz-inputs.ts'
import { useMeasuredConsole } from './measured-console.ts'
import { exchange, KeptConnection, type RawAnswer, readAnswers } from './raw-http.ts'

const INPUTS = sized(300, 100_000)
const SEED = seedOr(randomInt(2 ** 31))
const WARM_UP_INPUTS = 1_000
const BATCH = 500
const CONNECTIONS = 8
/** Processor time of one turn of the event loop. In `npm test` far above every figure measured and far below anything
 * that grows faster than the input, because a busy machine slows the processor too; `npm run proof -- fuzz --long` takes 50. */
const MAX_TURN_MS = sized(500, 50)

describe(`whatever is sent (--seed ${SEED})`, async () => {
  const running = await useMeasuredConsole()

  it('is answered in HTTP, never with a 5xx, and takes no long turn of the event loop', async (t) => {
    await run(WARM_UP_INPUTS, SEED - 1)
    await running.reset()
    const statuses = await run(INPUTS, SEED)
    const { wallMs, cpuMs } = await running.report()

    t.diagnostic(`${INPUTS} inputs`)
    t.diagnostic(`answers ${JSON.stringify(Object.fromEntries([...statuses].toSorted(([a], [b]) => a - b)))}`)
    t.diagnostic(
      `longest turn of the event loop: ${cpuMs.toFixed(1)} ms of work, ${wallMs.toFixed(1)} ms by the clock`,
    )
    assert.ok(cpuMs < MAX_TURN_MS, `${cpuMs} ms`)
  })

  /** Sends inputs over several connections at once and counts the answers by status. */
  async function run(count: number, seed: number): Promise<Map<number, number>> {
    const statuses = new Map<number, number>()
    const inputs = generate(count, seed)
    const work = async () => {
      const kept = new KeptConnection(running.url)
      for (const input of inputs) {
        for (const answer of await send(input, kept)) {
          check(answer, input)
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        }
      }
      kept.close()
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, work))
    return statuses
  }

  function* generate(count: number, seed: number): Generator<FuzzInput> {
    const arbitrary = fuzzInput(running)
    for (let made = 0; made < count; made += BATCH) {
      yield* fc.sample(arbitrary, { numRuns: Math.min(BATCH, count - made), seed: seed + made })
    }
  }

  async function send({ method, bytes, connection }: FuzzInput, kept: KeptConnection): Promise<RawAnswer[]> {
    try {
      if (connection === 'kept') return [await kept.send(bytes, method)]
      const received = await exchange(running.url, bytes, { half: connection === 'half' })
      const answers = readEither(received, method)
      // A server need not respond to a client that has closed its side.
      assert.ok(answers.length > 0 || connection === 'half', 'No answer')
      return answers
    } catch (error) {
      throw new Error(`${(error as Error).message}, after ${describeInput(bytes)}`, { cause: error })
    }
  }
})

/** What never became a request is answered with a body, even where it began with HEAD. */
function readEither(received: Buffer, method: string): RawAnswer[] {
  try {
    return readAnswers(received, method)
  } catch (error) {
    if (method === 'HEAD') return readAnswers(received)
    throw error
  }
}

interface ErrorBody {
  detail?: unknown
  /** In errors of the MCP server. */
  jsonrpc?: unknown
  error?: { code?: unknown; message?: unknown }
}

function check({ status, headers, body }: RawAnswer, { bytes, method }: FuzzInput): void {
  const sent = describeInput(bytes)
  assert.ok(status < 500, `${status} ${body} after ${sent}`)
  const isOfMcp = bytes.subarray(0, 30).toString('latin1').startsWith(`${method} /mcp`)
  // A tool that failed, or the server itself, says so in a result with the status 200.
  if (isOfMcp) assert.doesNotMatch(body, /\(internal\)|-32603/, `${body} after ${sent}`)
  if (status < 400 || method === 'HEAD') return
  assert.match(headers.get('content-type') ?? '', /^application\/json/, sent)
  const { detail, jsonrpc, error } = JSON.parse(body) as ErrorBody
  if (isOfMcp && jsonrpc !== undefined) {
    return assert.deepEqual([jsonrpc, typeof error?.code, typeof error?.message], ['2.0', 'number', 'string'])
  }
  if (status !== 422) return assert.equal(typeof detail, 'string', sent)
  assert.ok(Array.isArray(detail) && detail.length > 0, sent)
  for (const fault of detail) assert.deepEqual(Object.keys(fault as object), ['loc', 'msg', 'type'], sent)
}

function describeInput(bytes: Buffer): string {
  const text = bytes.toString('latin1').replaceAll(/Bearer [\w.-]{100,}/g, 'Bearer …')
  return JSON.stringify(text.slice(0, 2_000))
}
