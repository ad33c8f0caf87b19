import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { closeAfter } from '../../test/support/close-after.ts'
import { createTestNats } from '../../test/support/nats.ts'
import { startPrivateNats } from '../../test/support/private-nats.ts'
import { answers, type Process, startConsoleProcess, startProcess } from '../../test/support/processes.ts'
import { sized } from '../../test/support/sized.ts'
import { until } from '../../test/support/until.ts'
import { canBeWatched } from '../../test/support/watching.ts'
import { Console, type WatchedEvent } from '../src/index.ts'

/** Three in CI: one of each kind; `npm run proof -- watch-restarts --long` makes 50. */
const RESTARTS = sized(3, 50)
const WRITERS = 3
const EDITS_BETWEEN = 10

describe('restarts of the console and of NATS', async () => {
  const cleanUp: (() => Promise<unknown>)[] = []
  closeAfter(async () => {
    for (const step of cleanUp.toReversed()) await step()
  })
  const server = await startPrivateNats()
  cleanUp.push(() => server.remove())
  const nats = await createTestNats(server.url)
  cleanUp.push(() => nats.close())
  const running = await startConsoleProcess({
    LOG_LEVEL: 'error',
    SHUTDOWN_DELAY_MS: '0',
    ...nats.environment,
  })
  cleanUp.push(() => running.close())
  let replica: Process | undefined
  cleanUp.push(async () => {
    replica?.signal('SIGKILL')
    await replica?.ended
  })
  const restartConsole = async (signal: NodeJS.Signals) => {
    const current = replica ?? running
    current.signal(signal)
    await current.ended
    replica = startProcess('src/main.ts', running.environment)
    await answers(`${running.url}/health/live`, replica)
  }
  const restarts = [
    () => restartConsole('SIGKILL'),
    async () => {
      await server.kill()
      await server.start()
    },
    () => restartConsole('SIGTERM'),
  ]

  it(`loses and repeats neither an event nor a change, ${RESTARTS} times`, async (t) => {
    const identity = { user: randomUUID(), team: randomUUID() }
    const client = new Console({
      baseUrl: running.url,
      token: () => running.token(identity),
      maxRetries: 1_000,
      retryDelayMs: 20,
    })
    await canBeWatched(running.url, await running.token(identity))

    const seen: WatchedEvent[] = []
    const leaving = new AbortController()
    let connections = 0
    const onState = ({ connected }: { connected: boolean }) => {
      if (connected) connections += 1
    }
    const watching = (async () => {
      for await (const event of client.agents.watch({ signal: leaving.signal, onState })) seen.push(event)
    })()
    await until('the watch is connected', () => connections === 1)

    let isDone = false
    const writers = Array.from({ length: WRITERS }, async (_, index) => {
      const { agent } = await client.agents.create({
        ...{ agent_name: `${index}`, model_name: 'm', rate_limit_requests_per_minute: 1 },
      })
      let edits = 0
      while (!isDone) {
        await client.agents.edit(agent.id, (current) => ({
          rate_limit_requests_per_minute: current.rate_limit_requests_per_minute + 1,
        }))
        edits += 1
      }
      return { id: agent.id, edits }
    })

    // They reject before the end of the test only if the test fails.
    for (const task of [watching, ...writers]) task.catch(() => {})
    for (let restart = 0; restart < RESTARTS; restart++) {
      await restarts[restart % restarts.length]?.()
      const before = seen.length
      await until('events arrive', () => seen.length >= before + EDITS_BETWEEN)
      if (restart % 10 === 9) t.diagnostic(`${restart + 1} restarts`)
    }
    isDone = true
    for (const { id, edits } of await Promise.all(writers)) {
      const { agent, revision } = await client.agents.get(id)
      assert.equal(agent.rate_limit_requests_per_minute, 1 + edits)
      const revisionsSeen = () =>
        seen.filter(({ data }) => data.subject === id).map(({ data }) => data.data.revision)
      await until('the last event arrives', () => revisionsSeen().includes(revision))
      assert.deepEqual(
        revisionsSeen(),
        Array.from({ length: revision }, (_, index) => index + 1),
      )
    }
    leaving.abort(new Error('done'))
    await assert.rejects(watching, /done/)
    t.diagnostic(`${seen.length} events over ${connections} connections`)
  })
})
