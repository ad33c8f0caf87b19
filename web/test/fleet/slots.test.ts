import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assignSlots } from '../../src/fleet/slots.ts'

const ROLL = { ordered: false, focused: undefined }
const shown = (text: string) => assignSlots([], { ...ROLL, ids: text.split('') })
const text = (slots: ReturnType<typeof shown>) => slots.map(({ key, id }) => `${key}${id}`).join(' ')

describe('the elements of the rows', () => {
  it('go from the agents that left the view to those that came, in place', () => {
    assert.equal(text(shown('abcd')), '0a 1b 2c 3d')
    const down = assignSlots(shown('abcd'), { ...ROLL, ids: 'cdef'.split('') })
    assert.equal(text(down), '0e 1f 2c 3d')
    assert.equal(text(assignSlots(down, { ...ROLL, ids: 'bcde'.split('') })), '0e 1b 2c 3d')
  })

  it('are in the order of the rows when the table is at rest', () => {
    const slots = assignSlots(shown('abcd'), { ...ROLL, ids: 'cdef'.split(''), ordered: true })
    assert.equal(text(slots), '2c 3d 0e 1f')
  })

  it('are as many as the rows', () => {
    assert.equal(text(assignSlots(shown('abcd'), { ...ROLL, ids: 'be'.split('') })), '0e 1b')
    assert.equal(text(assignSlots(shown('ab'), { ...ROLL, ids: 'bcd'.split('') })), '0c 1b 2d')
  })

  it('never show another agent while one has the focus', () => {
    const slots = assignSlots(shown('ab'), { ids: 'cd'.split(''), ordered: false, focused: 'a' })
    assert.equal(text(slots), '1c 2d')
  })
})
