import type { Client } from 'pg'
import { advice, type Context, ok, problem, type Result } from './finding.ts'

const LONGEST_WAIT_S = 600

/** Whether events leave the outbox. */
export async function checkDelivery(client: Client, { config }: Context): Promise<Result[]> {
  const { rows } = await client.query<{ waitedS: number; hasDiverged: boolean }>(READ_DELIVERY)
  const { waitedS = 0, hasDiverged = false } = rows[0] ?? {}
  if (hasDiverged)
    return [
      problem(
        'Delivery has stopped: the stream holds events that the database does not have.',
        'Follow docs/backup.md, Events after a restore.',
      ),
    ]
  if (!config.events)
    return [
      advice(
        'NATS_URL is not set: events are not delivered, and the outbox grows.',
        'Set NATS_URL to a NATS server with JetStream.',
      ),
    ]
  if (waitedS > LONGEST_WAIT_S)
    return [
      problem(
        `The oldest event has waited ${Math.round(waitedS)} s in the outbox.`,
        'Run one process with RELAY=on, or npm run relay, and look at its log (docs/debugging.md).',
      ),
    ]
  return [ok(waitedS > 0 ? `the oldest event has waited ${Math.round(waitedS)} s` : 'the outbox is empty')]
}

const READ_DELIVERY = `
SELECT
  COALESCE((SELECT extract(epoch FROM clock_timestamp() - min(written_at)) FROM outbox), 0)::float8 AS "waitedS",
  diverged_at IS NOT NULL AS "hasDiverged"
FROM event_delivery`
