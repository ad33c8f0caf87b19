import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessVictim } from '../../support/victim.ts'
import type { Fault } from '../fault.ts'

const MINUTES = 10
const DURATION_MS = 10_000

/** The clock of one API is ten minutes ahead, then ten minutes behind. */
export function shiftClock(api: { url: string; victim: ProcessVictim }, times: number): Fault {
  return {
    name: `clock of one API ${MINUTES} minutes off`,
    times,
    inflict: async (n) => {
      const minutes = n % 2 === 0 ? MINUTES : -MINUTES
      await api.victim.kill()
      await api.victim.start(fakeTime(minutes))
      const { headers } = await fetch(`${api.url}/health/live`)
      const offMs = Date.parse(headers.get('date') ?? '') - Date.now()
      assert.ok(Math.abs(offMs - minutes * 60_000) < 10_000, `the clock is off by ${offMs} ms`)
      await sleep(DURATION_MS)
      await api.victim.kill()
      await api.victim.start()
    },
  }
}

function fakeTime(minutes: number): Record<string, string> {
  const [library] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')
  if (library === undefined) throw new Error('faketime is not installed: apt-get install faketime')
  return {
    LD_PRELOAD: library,
    FAKETIME: `${minutes < 0 ? '' : '+'}${minutes}m`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
}
