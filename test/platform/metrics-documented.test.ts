import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { freePorts } from '../../dev/free-port.ts'
import { closeAfter } from '../support/close-after.ts'
import { createTestNats } from '../support/nats.ts'
import { answers, startConsoleProcess, startProcess } from '../support/processes.ts'

const root = join(import.meta.dirname, '../..')

/** The metrics of the tables in the documents. */
const documented = ['docs/operating.md', 'docs/services.md'].flatMap((file) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/^\| `(console_\w+)` \|/gm)].map(
    ([, name = '']) => name,
  ),
)

/** The metrics that a process serves, also those without a value yet. */
async function scrape(url: string): Promise<string[]> {
  const text = await (await fetch(url)).text()
  return [...text.matchAll(/^# TYPE (console_\w+) /gm)].map(([, name = '']) => name)
}

describe('/metrics', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'console-metrics-'))
  const nats = await createTestNats()
  const [closedPort, relayPort] = await freePorts(2)
  const servicesFile = join(folder, 'services.yaml')
  writeFileSync(
    servicesFile,
    `services: [{ name: teams, tag: Teams, url: 'http://127.0.0.1:${closedPort}', prefixes: [/v1/teams], token: exchange, audience: teams }]`,
  )
  // With everything that has metrics of its own. What does not respond has them too.
  const running = await startConsoleProcess({
    ...nats.environment,
    ...{ REDIS_URL: 'redis://127.0.0.1:6379', AUTH_REVOCATIONS_URL: `http://127.0.0.1:${closedPort}/list` },
    ...{ EVOLUTION_URL: `http://127.0.0.1:${closedPort}`, SERVICES_FILE: servicesFile },
    ...{ EXCHANGE_CLIENT_ID: 'console', EXCHANGE_CLIENT_SECRET: 'secret' },
  })
  closeAfter(async () => {
    await running.close()
    await nats.remove()
    rmSync(folder, { recursive: true })
  })

  it('of the API has exactly the metrics that the documents list', async () => {
    assert.deepEqual((await scrape(running.metricsUrl)).toSorted(), documented.toSorted())
  })

  it('of the relay has only such metrics, and those of delivery', async (t) => {
    const relay = startProcess('src/relay.ts', {
      ...running.environment,
      METRICS_PORT: String(relayPort),
    })
    t.after(async () => {
      relay.signal('SIGKILL')
      await relay.ended
    })
    const url = `http://127.0.0.1:${relayPort}/metrics`
    await answers(url, relay)
    const served = await scrape(url)
    assert.deepEqual(
      served.filter((name) => !documented.includes(name)),
      [],
    )
    for (const name of ['console_outbox_waiting', 'console_event_delivery_seconds', 'console_nats_connected'])
      assert.ok(served.includes(name), name)
  })
})
