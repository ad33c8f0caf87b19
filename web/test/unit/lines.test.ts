import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { compare, compareLines, splitWords } from '../../src/shared/lines.ts'

const joinOf = (pieces: ReturnType<typeof compare>, without: string): string[] =>
  pieces.filter(({ kind }) => kind !== without).map(({ text }) => text)

describe('comparing texts', () => {
  it('always holds both texts, whatever they are', () => {
    const texts = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const pieces = compare(before, after)
        assert.deepEqual(joinOf(pieces, 'add'), before)
        assert.deepEqual(joinOf(pieces, 'del'), after)
      }),
    )
  })

  it('marks the words of a changed line and counts the lines between changes', () => {
    const before = 'one two three\nb\nc\nd\ne\nlast'
    const blocks = compareLines(before, before.replace('two', '2').replace('last', 'end'))
    const [first, gap] = blocks
    assert.ok(first !== undefined && 'lines' in first)
    assert.deepEqual(
      first.lines.map(({ kind, number }) => [kind, number]),
      [
        ['del', 1],
        ['add', 1],
        ['same', 2],
      ],
    )
    assert.deepEqual(first.lines[0]?.pieces[1], { kind: 'del', text: 'two' })
    assert.deepEqual(gap && 'gap' in gap && [gap.gap, gap.hidden.map(({ number }) => number)], [2, [3, 4]])
  })

  it('takes words, spaces and marks apart without losing any', () => {
    const text = 'Größe: 3,5  „m“\n'
    assert.equal(splitWords(text).join(''), text)
  })
})
