import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamLeader } from '../../support/stream-leader.ts'
import type { Fault } from '../fault.ts'

const ABSENCE_MS = 1_000

/** The node of NATS that leads the stream of events crashes and comes back. */
export function killNatsLeader(leader: StreamLeader, times: number): Fault {
  return {
    name: 'leader of NATS killed',
    times,
    inflict: async () => {
      await leader.kill()
      await sleep(ABSENCE_MS)
      await leader.start()
      await leader.whole()
    },
  }
}
