import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Item, offLast, ranked } from '../../src/palette/items.ts'

describe('the agents of the palette', () => {
  it('begin with names that start with the text, then with those that have such a word', () => {
    const names = ['Contract reviewer', 'Order tracker', 'Portrait editor', 'Travel planner']
    assert.deepEqual(
      ranked(names, (name) => name, 'TRA'),
      ['Travel planner', 'Order tracker', 'Contract reviewer', 'Portrait editor'],
    )
  })
})

describe('the actions of the palette', () => {
  it('that are off come last, so that the first one always does something', () => {
    const action = (label: string, off: Item['off'] = false): Item => ({
      ...{ id: label, label, off },
      run: () => undefined,
    })
    const actions = [action('Move the card', 'Choose a card first'), action('New agent'), action('Sign out')]
    assert.deepEqual(
      offLast(actions).map(({ label }) => label),
      ['New agent', 'Sign out', 'Move the card'],
    )
  })
})
