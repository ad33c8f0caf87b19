import { randomBytes, randomUUID } from 'node:crypto'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { Client } from 'pg'
import { startIssuer } from '../../dev/issuer/issuer.ts'
import type { Environment } from './containers.ts'

/** What the image is tried against: servers that run on this machine, with a database and a stream of their own. */

const POSTGRES = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'
const NATS = process.env['TEST_NATS_URL'] ?? 'nats://127.0.0.1:4222'

export interface Surroundings {
  environment: Environment
  token: () => Promise<string>
  /** How many events wait for the relay. */
  waiting: () => Promise<number>
  remove: () => Promise<void>
}

export async function prepareSurroundings(): Promise<Surroundings> {
  const name = `console_image_${randomUUID().replaceAll('-', '')}`
  await onDatabase(POSTGRES, (client) => client.query(`CREATE DATABASE ${name}`))
  const url = new URL(POSTGRES)
  url.pathname = `/${name}`
  const issuer = await startIssuer()
  return {
    environment: {
      HOST: '127.0.0.1',
      DATABASE_URL: url.href,
      AUTH_ISSUER: issuer.url,
      AUTH_AUDIENCE: issuer.audience,
      WEB_CLIENT_ID: 'agent-console-web',
      SECRETS_KEYS: `trial:${randomBytes(32).toString('base64')}`,
      NATS_URL: NATS,
      NATS_STREAM: name,
      SHUTDOWN_DELAY_MS: '0',
    },
    token: () => issuer.token({ user: randomUUID(), team: randomUUID() }),
    waiting: async () => {
      const { rows } = await onDatabase(url.href, (client) =>
        client.query<{ count: string }>('SELECT count(*) FROM outbox'),
      )
      return Number(rows[0]?.count)
    },
    remove: async () => {
      await issuer.close()
      await deleteStream(name)
      await onDatabase(POSTGRES, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`))
    },
  }
}

async function onDatabase<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function deleteStream(name: string): Promise<void> {
  const connection = await connect({ servers: NATS })
  try {
    const manager = await jetstreamManager(connection)
    // It does not exist where the relay never started.
    await manager.streams.delete(name).catch(() => {})
  } finally {
    await connection.close()
  }
}
