import { describe, it } from 'node:test'
import { createTestNats } from '../support/nats.ts'
import { startPrivateNats } from '../support/private-nats.ts'
import { sized } from '../support/sized.ts'
import { proveDelivery } from './delivery.ts'

const UPDATES = sized(1_000, 100_000)
const KILLS = sized(4, 50)
const AGENTS = Math.min(2_000, Math.ceil(UPDATES / 10))

describe('delivery', () => {
  it(`loses, repeats and mixes up nothing while relay, NATS and API are killed ${KILLS} times`, async (t) => {
    const server = await startPrivateNats()
    const nats = await createTestNats(server.url)
    try {
      const proof = {
        updates: UPDATES,
        agents: AGENTS,
        nats,
        plan: ({ api, relay }, random) => {
          const all = [relay, { name: 'NATS', kill: server.kill, start: server.start }, api]
          return Array.from({ length: KILLS }, (_, n) => all[n] ?? random.pick(all))
        },
        recovered: async () => {},
      } satisfies Parameters<typeof proveDelivery>[0]
      await proveDelivery(proof, (line) => t.diagnostic(line))
    } finally {
      await nats.close()
      await server.remove()
    }
  })
})
