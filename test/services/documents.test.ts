import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createDocuments, type Documents } from '../../src/services/documents/documents.ts'
import { type Readied, toShared } from '../../src/services/documents/protocol.ts'
import { DocumentBroken } from '../../src/services/documents/read.ts'
import type { ServedDocument } from '../../src/services/documents/served.ts'
import { answering, bytesOf, document, refTo, service } from './described.ts'

const OWN = readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8')
const read = ({ bytes }: ServedDocument) =>
  JSON.parse(Buffer.from(bytes).toString()) as { paths: Record<string, object> }
const prepare = (documents: Documents, content: object | string) =>
  documents.prepare(service(), toShared(bytesOf(content)))

describe('the worker that reads documents', () => {
  let documents: Documents
  before(() => {
    documents = createDocuments()
  })
  after(() => documents.close())

  const good = document({ '/v1/teams': { get: answering({ type: 'string' }) } })

  it('prepares, compares and combines', async () => {
    const before = await prepare(documents, good)
    const { title, version, operations, leftOut } = before
    assert.deepEqual([title, version, operations.length, leftOut], ['A service', '1.0.0', 1, []])
    const next = await prepare(documents, document({ '/v1/teams': { put: answering({}) } }))
    assert.deepEqual(await documents.compare(before, next), ['GET /v1/teams: it is gone.'])
    assert.deepEqual(
      next.operations.map(({ method }) => method),
      ['PUT'],
    )
    const { paths } = read(await documents.combine(OWN, [next]))
    assert.deepEqual(Object.keys(paths['/v1/teams'] ?? {}), ['parameters', 'put'])
  })

  it('says what is wrong with a broken document, and goes on', async () => {
    await assert.rejects(prepare(documents, '{'), (error) => error instanceof DocumentBroken)
    assert.equal((await prepare(documents, good)).operations.length, 1)
  })

  it('is begun anew when a document is its end, and fails nothing else', async () => {
    // Nobody can tell whether this pattern fits its example before the machine is switched off.
    const hostile = {
      type: 'string',
      pattern: '^(a|a|a|a|a|a)*$',
      examples: [`${'a'.repeat(60)}!`],
    }
    const short = createDocuments({ deadlinesMs: { prepare: 5_000 } })
    try {
      const [ended, next] = await Promise.allSettled([
        prepare(short, document({ '/v1/teams': { get: answering(hostile) } })),
        prepare(short, good),
      ])
      assert.ok(ended.status === 'rejected')
      assert.match(String(ended.reason), /took too long/)
      assert.ok(next.status === 'fulfilled')
      assert.ok(read(await short.combine(OWN, [next.value])).paths['/v1/teams'])
    } finally {
      await short.close()
    }
  })

  it('is not changed by what an author calls his components', async () => {
    const named = document(
      { '/v1/teams': { get: answering({ $ref: '#/components/constructor/keys' }) } },
      {},
      { components: { constructor: { keys: { type: 'string' } } } },
    )
    await assert.rejects(prepare(documents, named), (error) => error instanceof DocumentBroken)
    assert.equal((await prepare(documents, good)).operations.length, 1)
  })

  it('leaves the event loop alone, whatever the size of a document', async () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, i) => [
        `Schema${i}`,
        {
          type: 'object',
          properties: Object.fromEntries(
            Array.from({ length: 20 }, (_, k) => [
              `field_${k}`,
              { type: 'string', description: 'x'.repeat(20) },
            ]),
          ),
        },
      ]),
    )
    const paths = Object.fromEntries(
      Object.keys(schemas).map((name) => [`/v1/teams/${name}`, { get: answering(refTo(name)) }]),
    )
    const large = document(paths, schemas)
    assert.ok(JSON.stringify(large).length > 2 * 1024 * 1024)
    const bytes = toShared(bytesOf(large))
    const turns = watchTurns()
    const combined = await documents.combine(OWN, [await documents.prepare(service(), bytes)])
    const longestMs = turns.stop()
    assert.ok(read(combined).paths['/v1/teams/Schema1999'])
    assert.ok(longestMs < 100, `the event loop was away for ${longestMs} ms`)
  })
})

describe('an answer', () => {
  let documents: Documents
  before(() => {
    documents = createDocuments()
  })
  after(() => documents.close())

  const team = {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer' }, parent: { anyOf: [refTo('Team'), { type: 'null' }] } },
  }
  const declared = document(
    {
      '/v1/teams/{id}': {
        get: {
          responses: {
            200: { description: 'Fine', content: { 'application/json': { schema: refTo('Team') } } },
            204: { description: 'Nothing' },
            '4XX': { $ref: '#/components/responses/Refused' },
          },
        },
      },
    },
    {},
    {
      components: {
        schemas: { Team: team },
        responses: {
          Refused: {
            description: 'Refused',
            content: { 'application/*': { schema: { type: 'object', required: ['detail'] } } },
          },
        },
      },
    },
  )
  let readied: Readied
  before(async () => {
    readied = await prepare(documents, declared)
  })
  const check = (body: string, status = 200, contentType = 'application/json; charset=utf-8') =>
    documents.check(readied, {
      method: 'GET',
      path: '/v1/teams/{id}',
      status,
      contentType,
      bytes: bytesOf(body),
    })

  it('that is as declared is no fault', async () => {
    assert.equal(await check('{"id": 1, "parent": {"id": 2, "parent": null}}'), undefined)
    assert.equal(await check('{"detail": "x"}', 404, 'application/problem+json'), undefined)
    assert.equal(await check('', 204), undefined)
  })

  it('need not have what is only ever sent', async () => {
    const user = {
      type: 'object',
      required: ['id', 'password'],
      properties: { id: { type: 'integer' }, password: { type: 'string', writeOnly: true } },
    }
    const users = await prepare(documents, document({ '/v1/teams': { get: answering(user) } }))
    const answer = { method: 'GET', path: '/v1/teams', status: 200, contentType: 'application/json' }
    assert.equal(await documents.check(users, { ...answer, bytes: bytesOf('{"id": 1}') }), undefined)
    assert.match((await documents.check(users, { ...answer, bytes: bytesOf('{}') })) ?? '', /'id'/)
  })

  it('is checked when no document waits', async () => {
    const done: string[] = []
    const later = Array.from({ length: 4 }, () => check('{"id": 1}').then(() => done.push('answer')))
    await prepare(documents, declared).then(() => done.push('document'))
    await Promise.all(later)
    // The threads had begun two of them.
    assert.ok(done.indexOf('document') <= 2, done.join())
  })

  it('about which nothing is declared is no fault either', async () => {
    assert.equal(await check('{}', 503), undefined)
  })

  it('that differs is told by what the document says, not by what the answer says', async () => {
    assert.equal(await check('{"id": "secret"}'), 'It must be integer (#/properties/id/type).')
    assert.equal(await check('{"secret": 1}'), "It must have required property 'id' (#/required).")
    assert.equal(await check('{}', 404), "It must have required property 'detail' (#/required).")
    assert.equal(await check('{"id": 1'), 'It is not JSON.')
    assert.equal(await check('{}', 200, 'text/secret'), 'The media type is not declared for the status 200.')
    assert.equal(await check('{}', 201), 'The status 201 is not declared.')
  })
})

/** The most processor time that this thread spends between two turns of its loop: the clock would count what the machine
 * gave to others. */
function watchTurns(): { stop: () => number } {
  const cpuMs = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  }
  let before = cpuMs()
  let longest = 0
  const look = () => {
    const now = cpuMs()
    longest = Math.max(longest, now - before)
    before = now
  }
  const timer = setInterval(look, 1)
  return {
    stop: () => {
      clearInterval(timer)
      look()
      return longest
    },
  }
}
