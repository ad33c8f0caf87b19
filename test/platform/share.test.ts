import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Share } from '../../src/platform/limits/share.ts'

it('a team takes at most as much of a share as is left', () => {
  const share = new Share(6)
  for (let n = 0; n < 3; n++) share.take('a')
  assert.throws(() => share.take('a'), { code: 'too_many_requests' })
  for (const team of ['b', 'c', 'd']) share.take(team)
  assert.throws(() => share.take('e'), { code: 'overloaded' })
  assert.equal(share.tryTake('a'), 'own_share')
  assert.equal(share.tryTake('e'), 'overloaded')
})

it('what a team gives back is left for all', () => {
  const share = new Share(4)
  for (let round = 0; round < 10; round++) {
    for (const team of ['a', 'a', 'b']) share.take(team)
    for (const team of ['a', 'b', 'a']) share.give(team)
  }
})
