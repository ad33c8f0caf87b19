import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { pino } from 'pino'
import type { ServedDocument } from '../../src/services/combine/combine.ts'
import { type PreparedDocument, toShared } from '../../src/services/document/prepared.ts'
import {
  createDocumentWorkers,
  type DocumentWorkers,
  type DocumentWorkersOptions,
} from '../../src/services/workers/pool.ts'
import { bytesOf, document, refTo, returning, service } from './documents.ts'

const OWN = readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8')
const read = ({ bytes }: ServedDocument) =>
  JSON.parse(Buffer.from(bytes).toString()) as { paths: Record<string, object> }
const prepare = async (workers: DocumentWorkers, content: object | string) =>
  (await workers.prepare(service(), toShared(bytesOf(content)), [])) as PreparedDocument
const useWorkers = (options: Partial<DocumentWorkersOptions> = {}): DocumentWorkers => {
  const workers = createDocumentWorkers({ log: pino({ level: 'silent' }), ...options })
  after(() => workers.close())
  return workers
}

describe('the workers that read documents', () => {
  const workers = useWorkers()
  const good = document({ '/v1/teams': { get: returning({ type: 'string' }) } })

  it('prepare, compare and combine', async () => {
    const before = await prepare(workers, good)
    const { title, version, operations, leftOut } = before
    assert.deepEqual([title, version, operations.length, leftOut], ['A service', '1.0.0', 1, []])
    const next = await prepare(workers, document({ '/v1/teams': { put: returning({}) } }))
    assert.deepEqual(await workers.compare(before, next), ['GET /v1/teams: the operation is gone.'])
    assert.deepEqual(
      next.operations.map(({ method }) => method),
      ['PUT'],
    )
    const { paths } = read(await workers.combine(OWN, [next]))
    assert.deepEqual(Object.keys(paths['/v1/teams'] ?? {}), ['put'])
  })

  it('report what is wrong with an invalid document, and go on', async () => {
    const { errors } = (await prepare(workers, '{')) as unknown as { errors: string[] }
    assert.match(errors.join(), /neither JSON nor YAML/)
    assert.equal((await prepare(workers, good)).operations.length, 1)
  })

  it('are replaced when a document needs more memory than they may have, and nothing else fails', async () => {
    const small = useWorkers({
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 8 },
    })
    const hungry = `{"x":[${Array.from({ length: 900_000 }, () => '{}').join()}]}`
    const [ended, next] = await Promise.allSettled([prepare(small, hungry), prepare(small, good)])
    assert.match(String(ended.status === 'rejected' && ended.reason), /memory limit/)
    assert.equal(next.status, 'fulfilled')
    assert.equal((await prepare(small, good)).operations.length, 1)
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
      Object.keys(schemas).map((name) => [`/v1/teams/${name}`, { get: returning(refTo(name)) }]),
    )
    const large = document(paths, schemas)
    assert.ok(JSON.stringify(large).length > 2 * 1024 * 1024)
    const bytes = toShared(bytesOf(large))
    const turns = watchTurns()
    const combined = await workers.combine(OWN, [
      (await workers.prepare(service(), bytes, [])) as PreparedDocument,
    ])
    const longestMs = turns.stop()
    assert.ok(read(combined).paths['/v1/teams/Schema1999'])
    assert.ok(longestMs < 100, `the event loop was away for ${longestMs} ms`)
  })
})

describe('a sampled response', async () => {
  const workers = useWorkers({ deadlinesMs: { check: 3_000 } })

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
  const prepared = await prepare(workers, declared)
  const check = (body: string, status = 200, contentType = 'application/json; charset=utf-8') =>
    workers.check(prepared, {
      method: 'GET',
      path: '/v1/teams/{id}',
      status,
      contentType,
      bytes: bytesOf(body),
    })

  it('that is as declared has no difference', async () => {
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
    const users = await prepare(workers, document({ '/v1/teams': { get: returning(user) } }))
    const response = { method: 'GET', path: '/v1/teams', status: 200, contentType: 'application/json' }
    assert.equal(await workers.check(users, { ...response, bytes: bytesOf('{"id": 1}') }), undefined)
    assert.match((await workers.check(users, { ...response, bytes: bytesOf('{}') })) ?? '', /'id'/)
  })

  it('whose check does not end is given up, and delays neither documents nor later checks', async () => {
    const slow = { type: 'string', pattern: '^(a|a|a|a|a|a)*$' }
    const hostile = await prepare(workers, document({ '/v1/teams': { get: returning(slow) } }))
    const response = { method: 'GET', path: '/v1/teams', status: 200, contentType: 'application/json' }
    const endless = workers.check(hostile, { ...response, bytes: bytesOf(`"${'a'.repeat(60)}!"`) })
    let isEnded = false
    const ended = assert.rejects(endless, /took longer than 3000 ms/).finally(() => {
      isEnded = true
    })
    const next = check('{"id": "x"}')
    await prepare(workers, declared)
    assert.ok(!isEnded, 'the document waited for the check')
    await ended
    assert.equal(await next, 'It must be integer (#/properties/id/type).')
  })

  it('about which nothing is declared has no difference either', async () => {
    assert.equal(await check('{}', 503), undefined)
  })

  it('that differs is reported by what the document says, without the content of the response', async () => {
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
