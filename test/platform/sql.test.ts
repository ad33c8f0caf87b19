import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EMPTY, fragment, join, named, param, raw, unnamed } from '../../src/platform/postgres/sql.ts'

describe('a statement', () => {
  it('numbers its values in the order in which they stand', () => {
    const { name, text, values } = named('numbered')`SELECT ${'a'}, ${1} WHERE ${null} IS NULL`
    assert.deepEqual(
      { name, text, values },
      { name: 'numbered', text: 'SELECT $1, $2 WHERE $3 IS NULL', values: ['a', 1, null] },
    )
  })

  it('never takes a value for SQL', () => {
    const { text, values } = unnamed`SELECT ${"'; DROP TABLE agents; --"}`
    assert.equal(text, 'SELECT $1')
    assert.deepEqual(values, ["'; DROP TABLE agents; --"])
  })

  it('has a shared parameter once, and equal values as often as they stand', () => {
    const team = param('same')
    const { text, values } = unnamed`SELECT ${team}, ${'same'}, ${'same'}, ${fragment`(${team})`}`
    assert.equal(text, 'SELECT $1, $2, $3, ($1)')
    assert.deepEqual(values, ['same', 'same', 'same'])
  })

  it('numbers the values of its fragments through', () => {
    const conditions = [fragment`a = ${1}`, fragment`b = ANY (${[2, 3]})`, raw('c')]
    const { text, values } =
      unnamed`SELECT ${raw('x')} WHERE ${join(conditions, ' AND ')} ${EMPTY} LIMIT ${4}`
    assert.equal(text, 'SELECT x WHERE a = $1 AND b = ANY ($2) AND c  LIMIT $3')
    assert.deepEqual(values, [1, [2, 3], 4])
  })

  it('has one text for each name', () => {
    const statement = (condition: string) => named('one text')`SELECT ${1} ${raw(condition)}`
    assert.equal(statement('WHERE true').text, statement('WHERE true').text)
    assert.throws(() => statement('WHERE false'), /Two statements have the name one text/)
  })
})
