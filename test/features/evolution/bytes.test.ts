import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { useConsole } from '../../support/console.ts'
import { sized } from '../../support/sized.ts'

const OBJECTS = sized(500, 5_000)
const AT_ONCE = 16

/** JSON that a parse and a stringify would change: long integers, 1.0, 1e400, integer-like and repeated keys,
 * escapes, spaces. Written as text, because no value holds it. */
const number = fc.constantFrom(
  '12345678901234567890',
  '1.0',
  '1e400',
  '-0',
  '9007199254740993',
  '1E+2',
  '0.10',
)
const string = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\u0041"', '"\\/"', '"\\ud83d\\ude00"', '"é😀"', '"\\u0000"', '""', '"\\b\\f\\n"'),
)
const space = fc.constantFrom('', ' ', '\n\t', '\r\n')
const { value } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    number,
    string,
    fc.constantFrom('true', 'null'),
    tie('object'),
    tie('array'),
  ),
  object: fc
    .array(
      fc.tuple(
        fc.oneof(string, fc.constantFrom('"1"', '"0"', '"a"', '"a"', '"__proto__"')),
        space,
        tie('value'),
      ),
      { maxLength: 5 },
    )
    .map((members) => `{${members.map(([key, gap, member]) => `${key}${gap}:${gap}${member}`).join(',')}}`),
  array: fc
    .array(fc.tuple(tie('value'), space), { maxLength: 4 })
    .map((items) => `[${items.map(([item, gap]) => item + gap).join(',')}]`),
}))
const object = fc
  .array(fc.tuple(fc.oneof(string, fc.constantFrom('"1"', '"0"', '"a"', '"a"')), space, value), {
    maxLength: 6,
  })
  .map((members) => `{${members.map(([key, gap, member]) => `${key}:${gap}${member}${gap}`).join(',')}}`)

describe('bytes', async () => {
  const running = await useConsole()
  const person = await running.person()
  running.evolution.misbehave('echo')

  it(`of ${OBJECTS} generated objects reach the upstream and come back as they are`, async () => {
    const bodies = fc.sample(object, { numRuns: OBJECTS, seed: 7 }).map((text) => Buffer.from(text))
    assert.ok(bodies.some((body) => body.includes('1e400')))
    const next = bodies.entries()
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const [index, body] of next) {
          const reply = await fetch(`${running.url}/v1/genomes/`, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${person.token}`,
              'content-type': 'application/json',
              'x-request-id': String(index),
            },
            body,
          })
          assert.equal(reply.status, 200, body.toString())
          assert.ok(Buffer.from(await reply.arrayBuffer()).equals(body), body.toString())
        }
      }),
    )
    const received = running.evolution.requests()
    assert.equal(received.length, OBJECTS)
    for (const { rawHeaders, body } of received) {
      const id = rawHeaders[rawHeaders.findIndex((name) => name.toLowerCase() === 'x-request-id') + 1]
      assert.ok(bodies[Number(id)]?.equals(body))
    }
  })

  it('of a status come back as they are', async () => {
    for (const body of fc.sample(object, { numRuns: 200, seed: 8 }).map((text) => Buffer.from(text))) {
      running.evolution.answerWith(body)
      const reply = await fetch(`${running.url}/v1/evolution/status/${randomUUID()}`, {
        headers: { authorization: `Bearer ${person.token}` },
      })
      assert.ok(Buffer.from(await reply.arrayBuffer()).equals(body), body.toString())
    }
  })
})
