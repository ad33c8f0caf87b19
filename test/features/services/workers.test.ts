import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { pino } from 'pino'
import type { ServedDocument } from '../../../src/features/services/document/combine.ts'
import type { PreparedDocument } from '../../../src/features/services/document/document.ts'
import {
  DocumentWorkers,
  type DocumentWorkersOptions,
} from '../../../src/features/services/poll/publisher.ts'
import { bytesOf, document, refTo, returning, service } from '../../support/service-documents.ts'

const OWN = readFileSync(join(import.meta.dirname, '../../../openapi.json'), 'utf8')
const read = ({ bytes }: ServedDocument) =>
  JSON.parse(Buffer.from(bytes).toString()) as { paths: Record<string, object> }
const prepare = async (workers: DocumentWorkers, content: object | string) =>
  (await workers.prepare(service(), bytesOf(content), [])) as PreparedDocument
const useWorkers = (options: Partial<DocumentWorkersOptions> = {}): DocumentWorkers => {
  const workers = new DocumentWorkers({ log: pino({ level: 'silent' }), ...options })
  after(() => workers.close())
  return workers
}

describe('the workers that read documents', () => {
  const workers = useWorkers()
  const good = document({ '/v1/teams': { get: returning({ type: 'string' }) } })

  it('prepare and combine', async () => {
    const before = await prepare(workers, good)
    const { title, version, operations, leftOut } = before
    assert.deepEqual([title, version, operations.length, leftOut], ['A service', '1.0.0', 1, []])
    const next = await prepare(workers, document({ '/v1/teams': { put: returning({}) } }))
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

  it('give up a document that takes too long, and delay no other', async () => {
    const impatient = useWorkers({ deadlineMs: 1_000 })
    const [ended, next] = await Promise.allSettled([
      prepare(impatient, `x:\n${'  - {a: [b, c]}\n'.repeat(300_000)}`),
      prepare(impatient, good),
    ])
    assert.match(String(ended.status === 'rejected' && ended.reason), /took longer than 1000 ms/)
    assert.equal(next.status, 'fulfilled')
    assert.equal((await prepare(impatient, good)).operations.length, 1)
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
    const bytes = bytesOf(large)
    const turns = watchTurns()
    const combined = await workers.combine(OWN, [
      (await workers.prepare(service(), bytes, [])) as PreparedDocument,
    ])
    const longestMs = turns.stop()
    assert.ok(read(combined).paths['/v1/teams/Schema1999'])
    assert.ok(longestMs < 100, `the event loop was away for ${longestMs} ms`)
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
