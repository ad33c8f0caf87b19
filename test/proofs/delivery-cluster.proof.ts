import { describe, it } from 'node:test'
import { createTestNats } from '../support/nats.ts'
import { startNatsCluster } from '../support/nats-cluster.ts'
import { sized } from '../support/sized.ts'
import { createStreamLeader } from '../support/stream-leader.ts'
import { proveDelivery } from './delivery.ts'

const UPDATES = sized(1_000, 100_000)
const KILLS = sized(1, 3)
const AGENTS = Math.min(2_000, Math.ceil(UPDATES / 10))

describe('delivery to a cluster of three', () => {
  it(`loses, repeats and mixes up nothing while the leader of the stream is killed ${KILLS} times`, async (t) => {
    const cluster = await startNatsCluster(3)
    const nats = await createTestNats(cluster.urls)
    const leading = createStreamLeader(cluster, nats.stream)
    try {
      const proof = {
        updates: UPDATES,
        agents: AGENTS,
        nats,
        environment: { NATS_REPLICAS: '3' },
        plan: () => Array.from({ length: KILLS }, () => leading),
        recovered: leading.whole,
      } satisfies Parameters<typeof proveDelivery>[0]
      await proveDelivery(proof, (line) => t.diagnostic(line))
    } finally {
      await nats.close()
      await cluster.remove()
    }
  })
})
