import { jetstream } from '@nats-io/jetstream'
import { connect, headers } from '@nats-io/transport-node'
import { Client } from 'pg'
import { readRelayConfig } from '../src/config/config.ts'
import { toCloudEvent } from '../src/features/events/outbox.ts'

/** The least that can be done: the messages that a relay would send, made before, published with as many on their way
 * as a relay has. */
const IN_FLIGHT = 1_000

const { databaseUrl, events } = readRelayConfig(process.env)
const client = new Client({ connectionString: databaseUrl })
await client.connect()
const { rows } = await client.query(`
  SELECT team_id AS "teamId", aggregateid AS "agentId", revision::int, id, type AS action, payload
  FROM outbox ORDER BY written_at`)
await client.end()
const messages = rows
  .map((row) => ({
    subject: `${events.stream.subjectPrefix}.${row.teamId}.${row.agentId}`,
    msgID: row.id as string,
    payload: JSON.stringify(toCloudEvent(row, 1)),
  }))
  .values()

const connection = await connect({ servers: events.natsUrl, noAsyncTraces: true })
const stream = jetstream(connection)
await Promise.all(
  Array.from({ length: IN_FLIGHT }, async () => {
    for (const { subject, msgID, payload } of messages) {
      const sent = headers()
      sent.set('content-type', 'application/cloudevents+json')
      await stream.publish(subject, payload, { msgID, headers: sent })
    }
  }),
)
await connection.close()
