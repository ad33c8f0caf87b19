import { EventStream } from '../../src/platform/nats/stream.ts'
import { createLog } from '../../src/platform/observe/log.ts'
import type { TestNats } from './nats.ts'
import { until } from './until.ts'

/** A connection of its own to the stream, as a console opens it. */
export async function openEventStream(nats: TestNats) {
  const { NATS_URL: natsUrl = '' } = nats.environment
  const { stream: name, subjectPrefix } = nats
  const stream = { name, subjectPrefix, replicas: 1, maxAgeHours: 1, maxBytes: 1024 ** 3 }
  const events = new EventStream({ natsUrl, stream }, createLog('silent'))
  await until('NATS is connected', () => events.isUp())
  await events.ensure()
  return events
}
