import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstRange, mergeSeries, nearest, pointsBetween } from '../../src/agent/scores/evaluations.ts'
import { FEW_LINES, linear, scoreScale, tickName, timeTicks } from '../../src/agent/scores/scale.ts'

test('the scale begins at a round share below the lowest score', () => {
  assert.deepEqual(scoreScale([0.66, 0.9]).ticks, [0.5, 0.6, 0.7, 0.8, 0.9, 1])
  assert.deepEqual(scoreScale([0.8, 0.87]).ticks, [0.75, 0.8, 0.85, 0.9, 0.95, 1])
  assert.deepEqual(scoreScale([0.95]).ticks, [0.9, 0.92, 0.94, 0.96, 0.98, 1])
  assert.deepEqual(scoreScale([0.1]).ticks, [0, 0.2, 0.4, 0.6, 0.8, 1])
})

test('a narrow chart has three gridlines with round names', () => {
  assert.deepEqual(scoreScale([0.66, 0.9], FEW_LINES).ticks, [0.6, 0.8, 1])
  assert.deepEqual(scoreScale([0.85], FEW_LINES).ticks, [0.8, 0.9, 1])
  assert.deepEqual(scoreScale([1, 10], FEW_LINES).ticks, [0, 5, 10])
})

test('scores of other scales fit, too', () => {
  assert.deepEqual(scoreScale([55, 88]).ticks, [50, 60, 70, 80, 90, 100])
  assert.deepEqual(scoreScale([3, 4.5]).top, 10)
  assert.equal(scoreScale([-0.4, 0.5]).floor, -1)
  assert.deepEqual([scoreScale([]).floor, scoreScale([]).top], [0, 1])
})

test('a span without width leads to one place', () => {
  assert.equal(linear([5, 5], [0, 100])(5), 0)
  assert.equal(linear([0, 10], [100, 0])(5), 50)
  assert.deepEqual(timeTicks(5, 5, 5), [5])
  assert.deepEqual(timeTicks(0, 10, 3), [0, 5, 10])
})

const point = (evaluation_id: string, completed_at: number, value: number) => ({
  ...{ evaluation_id, completed_at, revision: 1, value },
})
const evaluations = mergeSeries([
  { metric: 'overall_score', count: 2, points: [point('b', 200, 0.8), point('c', 300, 0.9)] },
  { metric: 'safety_score', count: 2, points: [point('a', 100, 0.5), point('b', 200, 0.6)] },
])

test('series are put together by evaluation, in the order of time', () => {
  assert.deepEqual(
    evaluations.map(({ evaluation_id: id, scores }) => [id, scores]),
    [
      ['a', { safety_score: 0.5 }],
      ['b', { overall_score: 0.8, safety_score: 0.6 }],
      ['c', { overall_score: 0.9 }],
    ],
  )
  assert.equal(nearest(evaluations, 260)?.evaluation_id, 'c')
  assert.equal(nearest([], 260), undefined)
})

test('the span to begin with has at least two evaluations', () => {
  const days = (count: number): number => count * 24 * 3600
  assert.equal(firstRange(evaluations, 200 + days(90)), '90')
  assert.equal(firstRange(evaluations, 201 + days(90)), 'all')
})

test('a line comes in from the left edge and goes on to the right edge', () => {
  assert.deepEqual(pointsBetween(evaluations, 'overall_score', 250, 400), [
    { at: 200, value: 0.8 },
    { at: 300, value: 0.9 },
    { at: 400, value: 0.9 },
  ])
  assert.deepEqual(pointsBetween(evaluations, 'overall_score', 350, 400), [
    { at: 300, value: 0.9 },
    { at: 400, value: 0.9 },
  ])
  assert.deepEqual(pointsBetween(evaluations, 'security_score', 0, 400), [])
})

test('the names of a scale have the same number of decimals', () => {
  const names = (values: number[]): string[] => {
    const scale = scoreScale(values)
    return scale.ticks.map((tick) => tickName(tick, scale))
  }
  assert.deepEqual(names([0.8]), ['0.75', '0.80', '0.85', '0.90', '0.95', '1.00'])
  assert.deepEqual(names([0.66]), ['0.5', '0.6', '0.7', '0.8', '0.9', '1.0'])
  assert.deepEqual(names([80]), ['75', '80', '85', '90', '95', '100'])
})
