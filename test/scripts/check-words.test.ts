import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findWords } from '../../scripts/check-words.ts'

const found = (file: string, text: string) => findWords(file, text).map(({ line, word }) => `${line} ${word}`)

describe('the word check', () => {
  it('finds a word in any case, and says in which line', () => {
    assert.deepEqual(found('a.md', 'Fine.\nWhoever reads\nNOBODY'), ['2 whoever', '3 nobody'])
  })

  it('finds a word in the name of a file and within an identifier', () => {
    assert.deepEqual(found('src/outbox-bell.ts', 'createSentinel(RELIEF_MS)\nunder way'), [
      '0 bell',
      '1 relief',
      '1 sentinel',
      '2 under way',
    ])
  })

  it('leaves other words alone that contain one', () => {
    assert.deepEqual(found('src/label.ts', 'labelled, recommend, shoplifting, rebellion'), [])
  })
})
