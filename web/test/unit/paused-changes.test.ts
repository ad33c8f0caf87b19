import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { AgentEvent } from '@agent-console/sdk'
import { apply, currentLive, flush, onChanges, onMissedChanges, setLive } from '../../src/live/state.ts'

const event = { data: { agent_id: 'agent', changed_at: 1 } } as AgentEvent

it('a tab that was paused for long reads everything again in place of keeping every change', () => {
  const applied: number[] = []
  let missed = 0
  onChanges((events) => applied.push(events.length))
  onMissedChanges(() => missed++)
  setLive({ state: 'paused' })
  for (let n = 0; n < 3; n++) apply(event)
  flush()
  assert.deepEqual([applied, missed], [[3], 0])
  for (let n = 0; n < 10_001; n++) apply(event)
  assert.equal(currentLive().waiting, 10_001)
  flush()
  assert.deepEqual([applied, missed, currentLive().waiting], [[3], 1, 0])
})
