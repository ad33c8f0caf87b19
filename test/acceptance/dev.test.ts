import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { freePorts } from '../../dev/free-port.ts'
import { createTestDatabase } from '../support/database.ts'
import { createTestNats } from '../support/nats.ts'
import { until } from '../support/until.ts'
import { startProcess } from './processes.ts'

const run = promisify(execFile)
const PORT_NAMES = [
  ...['PORT', 'METRICS_PORT', 'ISSUER_PORT', 'EVOLUTION_PORT'],
  ...['TEAMS_PORT', 'EVALUATION_PORT', 'PROTECTION_PORT'],
]

type Json = Record<string, unknown>

/** What each printed command must answer. */
const EXPECTED: Record<string, (answer: Json, text: string) => void> = {
  'Read an agent': (agent) => {
    assert.equal(agent['agent_name'], 'Invoice helper')
    assert.match(String(agent['api_key']), /^\*{8}.{4}$/)
  },
  'Update its configuration': (agent) => {
    assert.equal(agent['status'], 'under_review')
    assert.equal(agent['rate_limit_requests_per_minute'], 60)
  },
  'Read its evolution status': (status) => assert.equal(typeof status['agent_id'], 'string'),
  'Seed a genome': (genome) => assert.equal(typeof genome['id'], 'string'),
  'See the services behind the console': ({ results }) =>
    assert.deepEqual(
      (results as Json[]).map(({ name }) => name),
      ['teams', 'evaluation', 'protection'],
    ),
  'Read your team': ({ results }) => assert.equal((results as Json[]).length, 1),
  'Upload a report of an evaluation': (report) => assert.equal(report['size'], 25),
  'Download the start of it': (_, text) => assert.equal(text, 'Nothing unsafe'),
  'Follow telemetry': (_, text) => assert.equal(text.match(/^id: \d+\nevent: \w+\ndata: {.+}$/gm)?.length, 3),
}

describe('npm run dev', () => {
  it('starts everything, prints commands that work, and ends all of it on Ctrl-C', async () => {
    const [database, nats] = await Promise.all([createTestDatabase(), createTestNats()])
    const ports = await freePorts(PORT_NAMES.length)
    const process = startProcess('dev/main.ts', {
      DATABASE_URL: database.url,
      ...nats.environment,
      ...Object.fromEntries(PORT_NAMES.map((name, i) => [name, String(ports[i])])),
    })
    let watching: ChildProcess | undefined
    try {
      const startedAt = performance.now()
      await until(
        'the commands are printed',
        () => process.output().includes('Ctrl-C ends everything'),
        60_000,
      )
      assert.ok(performance.now() - startedAt < 60_000)
      const commands = [...process.output().matchAll(/^# (.+)\n(curl .+)$/gm)]
      const [, , watch = ''] = commands.shift() ?? []
      assert.deepEqual(
        commands.map(([, title]) => title),
        Object.keys(EXPECTED),
      )
      watching = spawn('bash', ['-c', `exec ${watch}`], { stdio: ['ignore', 'pipe', 'inherit'] })
      let watched = ''
      watching.stdout?.setEncoding('utf8').on('data', (text: string) => (watched += text))
      await until('somebody watches', () => watched.includes(': watching'))
      for (const [, title = '', command = ''] of commands) {
        const { stdout } = await run('bash', ['-c', command])
        EXPECTED[title]?.(stdout.startsWith('{') ? (JSON.parse(stdout) as Json) : {}, stdout)
      }
      await until('the update was seen', () => watched.includes('console.agent.updated'))
      process.signal('SIGINT')
      assert.equal(await process.ended, 0, process.output())
      for (const port of ports) await assert.rejects(fetch(`http://127.0.0.1:${port}/`))
    } finally {
      watching?.kill()
      process.signal('SIGKILL')
      await process.ended
      await Promise.all([database.drop(), nats.remove()])
    }
  })

  it('names what is missing and how to install it', async () => {
    const database = await createTestDatabase()
    const missing = [
      [{ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }, /apt-get install postgresql/],
      [{ DATABASE_URL: database.url, NATS_URL: 'nats://127.0.0.1:1' }, /apt-get install nats-server/],
    ] as const
    for (const [environment, advice] of missing) {
      const process = startProcess('dev/main.ts', environment)
      assert.equal(await process.ended, 1)
      assert.match(process.output(), advice)
    }
    await database.drop()
  })
})
