import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { drawnRange, elementOf } from '../../src/fleet/table-rows.ts'

const SIZE = 4
type Focused = Parameters<typeof elementOf>[2]

/** Element and index of each row, such as `0:4`. */
const shown = (indexes: readonly number[], focused?: Focused) =>
  indexes.map((index) => `${elementOf(index, SIZE, focused)}:${index}`).join(' ')

describe('the rows that are drawn', () => {
  it('are as many wherever the view is, except at the end of the list', () => {
    assert.deepEqual(drawnRange(0, 20, 100), { from: 0, to: 20 })
    assert.deepEqual(drawnRange(50, 20, 100), { from: 48, to: 68 })
    assert.deepEqual(drawnRange(86, 20, 100), { from: 84, to: 100 })
    assert.deepEqual(drawnRange(0, 20, 3), { from: 0, to: 3 })
  })
})

describe('the elements of the rows', () => {
  it('go from the rows that left the view to those that came', () => {
    assert.equal(shown([0, 1, 2, 3]), '0:0 1:1 2:2 3:3')
    assert.equal(shown([2, 3, 4, 5]), '2:2 3:3 0:4 1:5')
    assert.equal(shown([1, 2, 3, 4]), '1:1 2:2 3:3 0:4')
  })

  it('never show another row while one has the focus', () => {
    const focused = { element: 0, index: 0 }
    assert.equal(shown([0, 4, 5, 6, 7], focused), '0:0 4:4 1:5 2:6 3:7')
  })

  it('stay with the focus when its row moved, or left the list', () => {
    assert.equal(shown([0, 1, 2, 3], { element: 1, index: 2 }), '0:0 4:1 1:2 3:3')
    assert.equal(shown([0, 1, 2, 3], { element: 1, index: undefined }), '0:0 4:1 2:2 3:3')
  })

  it('differ from each other', () => {
    for (let element = 0; element <= SIZE; element += 1) {
      for (const index of [undefined, 0, 4, 5, 6, 7, 9]) {
        const indexes = [4, 5, 6, 7, ...(index === 0 || index === 9 ? [index] : [])]
        const elements = indexes.map((each) => elementOf(each, SIZE, { element, index }))
        assert.equal(new Set(elements).size, elements.length, `${element} ${index}`)
      }
    }
  })
})
