import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chooseCoding } from '../../src/http/compression.ts'

describe('the coding of a response', () => {
  const cases: [acceptEncoding: string | undefined, coding: string | undefined][] = [
    [undefined, undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['BR', 'br'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br ; q=0.5 , gzip ; q=0.5', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['gzip;q=0', undefined],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['*;q=0', undefined],
    ['deflate, zstd', undefined],
    ['identity', undefined],
    ['identity;q=1, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip', 'gzip'],
    ['gzip;q=high', undefined],
    ['gzip;q=', undefined],
    [',,;;q=1,gzip', 'gzip'],
  ]
  for (const [acceptEncoding, coding] of cases) {
    it(`is ${coding ?? 'none'} for accept-encoding: ${acceptEncoding}`, () => {
      assert.equal(chooseCoding(acceptEncoding), coding)
    })
  }
})
