import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { PORT_NAMES } from '../../dev/run/ports.ts'
import { createDevPlace, type DevPlace } from './dev-process.ts'

const OLD_NODE = join(import.meta.dirname, '../dev/old-node.cjs')

describe('npm run dev refuses in a sentence', () => {
  let place: DevPlace

  before(async () => {
    place = await createDevPlace()
  })
  after(() => place.remove())

  const refusal = async (environment: Record<string, string>, ...options: string[]) => {
    const process = place.start(environment, ...options)
    assert.equal(await process.ended, 1, process.output())
    return process
      .output()
      .replace(/^.*✗.*\n|^Agent Console.*\n|^ {2}✓.*\n/gm, '')
      .trim()
  }

  for (const name of PORT_NAMES) {
    it(`when another program has the port of ${name}`, async () => {
      const port = place.ports[name]
      // It responds to everything, as the child that is expected there would.
      const foreign = createServer((_, response) => response.end('{}')).listen(port, '127.0.0.1')
      await once(foreign, 'listening')
      try {
        assert.equal(
          await refusal({}),
          `Port ${port} (${name}) is in use by another program. Stop it, or choose another port: ${name}=${port + 1_000} npm run dev`,
        )
        assert.equal(existsSync(place.file('lock')), false)
        assert.ok(!existsSync(place.file('identity.json')))
      } finally {
        foreign.close()
        await once(foreign, 'close')
      }
    })
  }

  it('when several ports are taken, and names another for each', async () => {
    const { PORT: port, TEAMS_PORT: teamsPort } = place.ports
    const foreign = [port, teamsPort].map((each) => createServer().listen(each, '127.0.0.1'))
    await Promise.all(foreign.map((server) => once(server, 'listening')))
    try {
      assert.equal(
        await refusal({}),
        `Ports ${port} (PORT), ${teamsPort} (TEAMS_PORT) are in use. Stop what uses them, or choose other ports:
  PORT=${port + 1_000} TEAMS_PORT=${teamsPort + 1_000} npm run dev`,
      )
    } finally {
      for (const server of foreign) server.close()
    }
  })

  it('when a port is none, or given twice', async () => {
    assert.equal(await refusal({ TEAMS_PORT: 'x' }), 'TEAMS_PORT must be a port from 1 to 65535, not x.')
    assert.equal(
      await refusal({ TEAMS_PORT: '20000', EVALUATION_PORT: '20000' }),
      'TEAMS_PORT and EVALUATION_PORT are both 20000. Give each its own port.',
    )
  })

  it('when Node is too old', async () => {
    assert.equal(
      await refusal({ NODE_OPTIONS: `--require=${OLD_NODE}` }),
      'Node 24 or newer is needed: https://nodejs.org. This is Node 20.19.0.',
    )
  })

  it('when an option is unknown', async () => {
    assert.match(await refusal({}, '--rest'), /^Unknown option '--rest'.*--help lists the options\.$/s)
  })

  it('when npm kept the option --reset for itself', async () => {
    assert.equal(
      await refusal({ npm_config_reset: 'true' }),
      'npm kept --reset for itself. Write: npm run dev -- --reset',
    )
  })

  it('when the database or NATS of a variable cannot be had, and names the variables', async () => {
    for (const [environment, sentence, advice] of [
      [
        { DATABASE_URL: 'postgres://a@127.0.0.1:1/b' },
        /^The database of DATABASE_URL cannot/,
        /^Correct DATABASE_URL, or unset it: then/m,
      ],
      [
        { PGPORT: '1' },
        /^The database of the PG variables cannot be used/,
        /^Correct PGHOST, PGPORT, PGUSER, PGDATABASE, or unset them: then/m,
      ],
      [
        { NATS_URL: 'nats://127.0.0.1:1' },
        /^The NATS of NATS_URL does not answer/,
        /^Correct NATS_URL, or unset it: then/m,
      ],
    ] as const) {
      const refused = await refusal(environment)
      assert.match(refused, sentence)
      assert.match(refused, advice)
      assert.deepEqual(await place.leftovers(), [])
    }
  })
})

describe('npm run dev -- --help', () => {
  it('names every option and every port, and starts nothing', async () => {
    const place = await createDevPlace()
    after(() => place.remove())
    const process = place.start({}, '--help')
    assert.equal(await process.ended, 0)
    for (const word of ['--reset', 'DATABASE_URL', 'NATS_URL', 'DEV_FOLDER', 'NO_COLOR', ...PORT_NAMES]) {
      assert.ok(process.output().includes(word), word)
    }
    // It fits a terminal of 24 lines and 100 columns, with the prompt below it.
    const lines = process.output().trimEnd().split('\n')
    assert.ok(lines.length < 24, `${lines.length} lines`)
    for (const line of lines) assert.ok(line.length <= 100, line)
    assert.deepEqual(await place.leftovers(), [])
  })
})
