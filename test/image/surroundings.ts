import { randomBytes, randomUUID } from 'node:crypto'
import { createEmptyDatabase } from '../support/database.ts'
import { startIssuer } from '../support/issuer/issuer.ts'
import { createTestNats } from '../support/nats.ts'
import type { Environment } from './containers.ts'

/** What the image is tried against: servers of this machine, with a database and a stream of their own. */
export interface Surroundings {
  environment: Environment
  token: () => Promise<string>
  /** How many events wait for the relay. */
  waiting: () => Promise<number>
  remove: () => Promise<void>
}

export async function prepareSurroundings(): Promise<Surroundings> {
  const [database, nats, issuer] = await Promise.all([createEmptyDatabase(), createTestNats(), startIssuer()])
  return {
    environment: {
      ...nats.environment,
      HOST: '127.0.0.1',
      DATABASE_URL: database.url,
      AUTH_ISSUER: issuer.url,
      AUTH_AUDIENCE: issuer.audience,
      WEB_CLIENT_ID: 'agent-console-web',
      SECRETS_KEYS: `trial:${randomBytes(32).toString('base64')}`,
      SHUTDOWN_DELAY_MS: '0',
    },
    token: () => issuer.token({ user: randomUUID(), team: randomUUID() }),
    waiting: async () => {
      const [row] = await database.query<{ count: string }>('SELECT count(*) FROM outbox')
      return Number(row?.count)
    },
    remove: async () => {
      await Promise.all([issuer.close(), nats.remove(), database.drop()])
    },
  }
}
