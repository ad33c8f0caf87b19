import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessVictim } from '../../support/victim.ts'
import type { Fault } from '../fault.ts'

const LONGEST_ABSENCE_MS = 1_000

/** One API after the other crashes and comes back. */
export function killApi(apis: ProcessVictim[], times: number): Fault {
  return {
    name: 'API killed',
    times,
    inflict: async (n) => {
      const api = apis[n % apis.length]
      await api?.kill()
      await sleep(Math.random() * LONGEST_ABSENCE_MS)
      await api?.start()
    },
  }
}
