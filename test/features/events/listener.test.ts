import assert from 'node:assert/strict'
import { connect, createServer, type Server } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { onFreePort } from '../../../dev/free-port.ts'
import { OutboxListener } from '../../../src/features/events/notifications.ts'
import { createLog } from '../../../src/platform/observe/log.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { until } from '../../support/until.ts'

describe('listening to the outbox', () => {
  let database: TestDatabase
  let slow: Server
  let url: string
  let connections = 0

  /** A proxy in front of the database that delays every connection but the first. */
  before(async () => {
    database = await createTestDatabase()
    const { hostname, port } = new URL(database.url)
    slow = createServer((client) => {
      const delayMs = connections++ === 0 ? 0 : 1_500
      const server = connect(Number(port), hostname)
      for (const socket of [client, server]) socket.on('error', () => {})
      setTimeout(() => client.pipe(server).pipe(client), delayMs)
    })
    const found = await onFreePort(
      (free) =>
        new Promise((resolve, reject) =>
          slow.once('error', reject).listen(free, '127.0.0.1', () => resolve(0)),
        ),
    )
    const through = new URL(database.url)
    through.host = `127.0.0.1:${found}`
    url = through.toString()
  })
  after(async () => {
    slow.close()
    await database.drop()
  })

  it('is not given up because the first announcement took long', async () => {
    let heard = 0
    const listener = new OutboxListener(url, createLog('silent'), () => void heard++)
    await until('it hears', () => listener.isReceiving())
    const before = heard
    await database.query('NOTIFY console_outbox')
    await until('it hears the next', () => heard > before)
    assert.equal(listener.isReceiving(), true)
    await listener.close()
  })
  it('connects again when the server ends its session before the first notification', async () => {
    connections = 0
    const listener = new OutboxListener(url, createLog('silent'), () => {})
    let ended: object[] = []
    await until('its session ended', async () => {
      ended = await database.query(`
        SELECT pid FROM pg_stat_activity, pg_terminate_backend(pid)
        WHERE datname = current_database() AND query = 'LISTEN console_outbox'`)
      return ended.length > 0
    })
    assert.equal(listener.isReceiving(), false)
    await until('it receives notifications', () => listener.isReceiving())
    await listener.close()
  })
})
