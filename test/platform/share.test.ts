import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Share } from '../../src/platform/limits/share.ts'

it('a team takes at most as much of a share as is left', () => {
  const share = new Share(6)
  for (let n = 0; n < 3; n++) assert.equal(share.take('a'), undefined)
  assert.equal(share.take('a'), 'own_share')
  for (const team of ['b', 'c', 'd']) assert.equal(share.take(team), undefined)
  assert.equal(share.take('e'), 'overloaded')
})

it('what a team gives back is left for all', () => {
  const share = new Share(4)
  for (let round = 0; round < 10; round++) {
    for (const team of ['a', 'a', 'b']) assert.equal(share.take(team), undefined)
    for (const team of ['a', 'b', 'a']) share.give(team)
  }
})
