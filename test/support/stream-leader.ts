import { setTimeout as sleep } from 'node:timers/promises'
import type { NatsCluster, NatsNode } from './nats-cluster.ts'
import { until } from './until.ts'
import type { Victim } from './victim.ts'

/** The node that leads a stream when it is to be killed. */
export interface StreamLeader extends Victim {
  /** Waits until the stream has a leader and every replica is current. */
  whole: () => Promise<void>
}

const ELECTION_MS = 60_000
const POLL_MS = 100

export function createStreamLeader(cluster: NatsCluster, stream: string): StreamLeader {
  const isWhole = async () => {
    await sleep(POLL_MS)
    return cluster.isWhole(stream)
  }
  const whole = () => until('the stream is whole', isWhole, ELECTION_MS)
  let leader: NatsNode | undefined
  return {
    name: 'leader of the stream',
    whole,
    kill: async () => {
      // A cluster of three bears the loss of one, so the one before has caught up.
      await whole()
      leader = await cluster.leaderOf(stream)
      await leader?.kill()
    },
    start: async () => leader?.start(),
  }
}
