import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ranked } from '../../src/palette/items.ts'

describe('the agents of the palette', () => {
  it('begin with names that start with the text, then with those that have such a word', () => {
    const names = ['Contract reviewer', 'Order tracker', 'Portrait editor', 'Travel planner']
    assert.deepEqual(
      ranked(names, (name) => name, 'TRA'),
      ['Travel planner', 'Order tracker', 'Contract reviewer', 'Portrait editor'],
    )
  })
})
