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
      'Node 24 or newer is needed. This is Node 20.19.0.',
    )
  })

  it('when an option is unknown', async () => {
    assert.match(await refusal({}, '--rest'), /^Unknown option '--rest'.*--help lists the options\.$/s)
  })

  it('when the database or NATS cannot be had, and says how to install them', async () => {
    for (const [environment, sentence, advice] of [
      [
        { DATABASE_URL: 'postgres://a@127.0.0.1:1/b' },
        /^The database of DATABASE_URL cannot/,
        /apt-get install postgresql/,
      ],
      [{ PGPORT: '1' }, /^The database of the PG variables cannot be used/, /brew install postgresql/],
      [
        { NATS_URL: 'nats://127.0.0.1:1' },
        /^The NATS of NATS_URL does not answer/,
        /apt-get install nats-server/,
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
    const process = place.start({}, '--help')
    assert.equal(await process.ended, 0)
    for (const word of ['--reset', 'DATABASE_URL', 'NATS_URL', 'DEV_FOLDER', 'NO_COLOR', ...PORT_NAMES]) {
      assert.ok(process.output().includes(word), word)
    }
    assert.deepEqual(await place.leftovers(), [])
    await place.remove()
  })
})
