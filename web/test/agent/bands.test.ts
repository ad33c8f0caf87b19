import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bandsOf, cutBands } from '../../src/agent/scores/evaluations.ts'

const evaluated = (completed_at: number, revision: number) => ({ completed_at, revision })
const changed = (revision: number, changed_at: number) => ({ revision, changed_at })
const NOW = 1000

test('a score that no change has outdated has no band', () => {
  assert.deepEqual(bandsOf([evaluated(100, 3)], [changed(2, 50), changed(3, 90)], NOW), [])
})

test('a band begins with the first change after the evaluated revision and ends now', () => {
  const changes = [changed(4, 200), changed(5, 300)]
  assert.deepEqual(bandsOf([evaluated(100, 3)], changes, NOW), [{ from: 200, to: NOW, revision: 4 }])
})

test('a band ends with the next evaluation', () => {
  const evaluations = [evaluated(100, 3), evaluated(400, 4)]
  assert.deepEqual(bandsOf(evaluations, [changed(4, 200)], NOW), [{ from: 200, to: 400, revision: 4 }])
})

test('an evaluation of an old revision is outdated from its completion on', () => {
  const evaluations = [evaluated(100, 3), evaluated(400, 3)]
  assert.deepEqual(bandsOf(evaluations, [changed(4, 200)], NOW), [{ from: 200, to: NOW, revision: 4 }])
})

test('two evaluations that different revisions ended have two bands', () => {
  const evaluations = [evaluated(100, 3), evaluated(400, 4)]
  assert.deepEqual(bandsOf(evaluations, [changed(4, 200), changed(6, 500)], NOW), [
    { from: 200, to: 400, revision: 4 },
    { from: 500, to: NOW, revision: 6 },
  ])
})

test('a change in the second of the next evaluation makes no empty band', () => {
  const evaluations = [evaluated(100, 3), evaluated(200, 4)]
  assert.deepEqual(bandsOf(evaluations, [changed(4, 200)], NOW), [])
})

test('a clock that runs behind does not turn a band around', () => {
  assert.deepEqual(bandsOf([evaluated(2000, 3)], [changed(4, 2100)], NOW), [])
})

test('bands are cut at the edges of the chart, and have no edge where they began before it', () => {
  const bands = [
    { from: 0, to: 50, revision: 1 },
    { from: 80, to: 120, revision: 2 },
    { from: 150, to: 300, revision: 3 },
  ]
  assert.deepEqual(cutBands(bands, 100, 200), [
    { from: 100, to: 120, revision: 2, isOpen: true },
    { from: 150, to: 200, revision: 3, isOpen: false },
  ])
})
