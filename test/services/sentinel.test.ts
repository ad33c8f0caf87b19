import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { pino } from 'pino'
import { createMetrics } from '../../src/platform/metrics.ts'
import { createDocuments, type Documents } from '../../src/services/documents/documents.ts'
import { lint } from '../../src/services/documents/lint.ts'
import { DocumentBroken } from '../../src/services/documents/read.ts'
import { createPublication } from '../../src/services/publication.ts'
import { createSentinel } from '../../src/services/sentinel/sentinel.ts'
import { until } from '../support/until.ts'
import { type Declaring, startDeclaring, startWatching, type WatchingConsole } from './declaring.ts'
import { answering, document, refTo, sending, service } from './described.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test says itself what it expects of a document
type Any = any

const STATUSES = ['new', 'old']
const teamsDocument = (version: string, change: (parts: { paths: Any; team: Any }) => void = () => {}) => {
  const paths: Any = {
    '/v1/teams': { get: answering({ type: 'array', items: refTo('Team') }), post: sending(refTo('Team')) },
    '/v1/teams/{id}': { get: answering(refTo('Team'), { operationId: 'getTeam' }) },
  }
  const team: Any = {
    type: 'object',
    required: ['id', 'status'],
    properties: { id: { type: 'string' }, status: { type: 'string', enum: STATUSES } },
  }
  change({ paths, team })
  return { ...document(paths, { Team: team }), info: { title: 'Teams', version } }
}

describe('the sentinel', () => {
  let teams: Declaring
  let watching: WatchingConsole

  before(async () => {
    teams = await startDeclaring(teamsDocument('1'))
    watching = await startWatching({ teams: { url: teams.url } })
  })
  after(async () => {
    await watching.close()
    await teams.stop()
  })

  const get = (path: string) => getFrom(watching, path)
  /** The combined document, which passes the linter at every moment. */
  const combined = async (): Promise<Any> => {
    const { body } = await watching.running.request('GET', '/openapi.json')
    assert.deepEqual(await lint(structuredClone(body)), [])
    return body
  }
  const adopt = (version: string, change?: Parameters<typeof teamsDocument>[1]) => {
    teams.declare(teamsDocument(version, change))
    return watching.becomes('teams', ({ document: adopted }) => adopted?.version === version)
  }

  it('has mounted what answers promptly before the console listens', async () => {
    teams.answer(200, '{"id":"1","status":"new"}')
    const answer = await get('/v1/teams/1')
    assert.deepEqual([answer.status, answer.text], [200, '{"id":"1","status":"new"}'])
  })

  it('lets whoever asks for the document at once wait until it is whole', async () => {
    assert.equal((await combined()).paths['/v1/teams/{id}'].get.operationId, 'getTeam')
    const { state, document: adopted, faults, breaker, tag, prefixes } = await watching.status('teams')
    assert.deepEqual([state, faults, breaker, tag, prefixes], ['up', [], 'closed', 'Teams', ['/v1/teams']])
    assert.deepEqual([adopted?.version, adopted?.operations, adopted?.title], ['1', 3, 'Teams'])
  })

  it('asks by the tag of what it has, and does no work for the same again', async () => {
    const before = teams.polls.length
    await until('it has asked again', () => teams.polls.length > before + 2)
    assert.ok(teams.polls.slice(before).every((tag) => tag !== undefined))
  })

  it('serves the combined document with a strong tag that changes with it', async () => {
    const first = await watching.running.request('GET', '/openapi.json')
    const etag = first.headers.get('etag') ?? ''
    assert.match(etag, /^"/)
    const again = (tag: string) =>
      watching.running.request('GET', '/openapi.json', { headers: { 'if-none-match': tag } })
    assert.equal((await again(etag)).status, 304)
    assert.equal((await again(`"other", W/${etag}`)).status, 304)
    assert.equal((await again('*')).status, 304)
    await adopt('1.1', ({ paths }) => (paths['/v1/teams/more'] = { get: answering({}) }))
    assert.equal((await again(etag)).status, 200)
    assert.equal((await watching.status('teams')).last_breaking_change, null)
    assert.equal((await get('/v1/teams/more')).status, 200)
  })

  it('shows a removed path as breaking: it is gone here too, and from the document', async () => {
    const { last_breaking_change: change } = await adopt('2', ({ paths }) => delete paths['/v1/teams/{id}'])
    assert.deepEqual([change?.from_version, change?.to_version], ['1.1', '2'])
    assert.deepEqual(change?.changes, ['GET /v1/teams/{id}: it is gone.', 'GET /v1/teams/more: it is gone.'])
    assert.equal((await get('/v1/teams/1')).status, 404)
    assert.equal((await combined()).paths['/v1/teams/{id}'], undefined)
    assert.ok(
      watching.running.logLines.some((line) => line.includes('breaks callers') && line.includes('teams')),
    )
    const metrics = await watching.running.deps.metrics.registry.metrics()
    assert.match(metrics, /console_service_document_changes_total\{service="teams",breaking="true"\} 1/)
    assert.match(metrics, /console_service_document_state\{service="teams",state="up"\} 1/)
  })

  it('shows a removed required field as breaking', async () => {
    const { last_breaking_change: change } = await adopt('3', ({ team }) => {
      delete team.properties.id
      team.required = ['status']
    })
    assert.deepEqual(change?.changes.slice(0, 1), [
      'GET /v1/teams: answer 200, the body[].id was required and is gone.',
    ])
    await combined()
  })

  it('shows a narrowed enumeration as breaking', async () => {
    const { last_breaking_change: change } = await adopt('4', ({ team }) => {
      team.properties.status.enum = ['new']
    })
    assert.ok(change?.changes.includes('POST /v1/teams: request, status no longer has the value "old".'))
    await combined()
  })

  it('keeps the last good document while a newer one is broken, and says why', async () => {
    teams.declare('{"openapi": "3.1.0", "paths": 7')
    const broken = await watching.becomes('teams', ({ state }) => state === 'document_broken')
    assert.match(broken.faults.join(), /neither JSON nor YAML/)
    assert.equal(broken.document?.version, '4')
    assert.equal((await get('/v1/teams')).status, 200)
    await combined()
    teams.declare({ ...teamsDocument('5'), openapi: '9.9' })
    await watching.becomes('teams', ({ faults }) => faults.join().includes('9.9'))
    const mended = await adopt('5')
    assert.deepEqual([mended.state, mended.faults], ['up', []])
  })

  it('keeps the last good document while the service is down, whose operations answer 503', async () => {
    await teams.stop()
    const down = await watching.becomes('teams', ({ state }) => state === 'document_unreachable')
    assert.deepEqual(down.faults, ['Its document could not be fetched: ECONNREFUSED.'])
    assert.equal(down.document?.version, '5')
    const answer = await get('/v1/teams')
    assert.deepEqual([answer.status, answer.body.code], [503, 'upstream_unavailable'])
    assert.ok((await combined()).paths['/v1/teams'])
    await teams.resume()
    const up = await watching.becomes('teams', ({ state }) => state === 'up')
    assert.ok(up.since >= down.since)
  })

  it('leaves out what lies outside the prefixes, and says so', async () => {
    const { document: adopted } = await adopt('6', ({ paths }) => {
      paths['/v1/agent-configurations/{id}'] = { get: answering({}) }
    })
    assert.deepEqual(adopted?.left_out, [
      'GET /v1/agent-configurations/{id} is left out: it is outside the prefixes of teams.',
    ])
    const own = (await combined()).paths['/v1/agent-configurations/{id}']
    assert.deepEqual(own.get.tags, ['Agent Environment'])
    assert.ok(watching.running.logLines.some((line) => line.includes('outside the prefixes of teams')))
  })

  it('counts answers that are not as declared, per operation, and changes none of them', async () => {
    await adopt('7')
    teams.answer(200, '{"id": 7, "status": "new", "secret": "s3cret"}')
    const passed = await get('/v1/teams/1')
    assert.equal(passed.text, '{"id": 7, "status": "new", "secret": "s3cret"}')
    await get('/v1/teams/2')
    const { answers } = await watching.becomes('teams', (status) => status.answers.mismatched === 2)
    assert.equal(answers.checked, 2)
    const [mismatch] = answers.mismatches
    assert.deepEqual(
      [mismatch?.operation_id, mismatch?.method, mismatch?.path, mismatch?.count],
      ['getTeam', 'GET', '/v1/teams/{id}', 2],
    )
    assert.match(mismatch?.fault ?? '', /must be string/)
    assert.ok(!JSON.stringify(answers).includes('s3cret'))
    const metrics = await watching.running.deps.metrics.registry.metrics()
    assert.match(metrics, /responses_mismatched_total\{service="teams",operation="getTeam"\} 2/)
  })

  it('begins to count anew with a new document', async () => {
    const { answers } = await adopt('8')
    assert.deepEqual(answers, { checked: 0, mismatched: 0, mismatches: [] })
  })

  it('is seen by whoever has service:read, and nobody else', async () => {
    const { running } = watching
    const reader = await running.person({ scope: 'service:read' })
    const stranger = await running.person({ scope: 'agent:read audit:read' })
    assert.equal((await running.request('GET', '/v1/services', { token: reader.token })).status, 200)
    const refused = await running.request('GET', '/v1/services', { token: stranger.token })
    assert.deepEqual([refused.status, refused.body.code], [403, 'permission_missing'])
    assert.equal((await running.request('GET', '/v1/services')).status, 401)
  })
})

describe('services that are not there at the start', () => {
  it('do not keep the console from starting, and are mounted when they come', async () => {
    const late = await startDeclaring(document({ '/v1/late': { get: answering({}) } }))
    const silent = await startDeclaring('')
    silent.behave(() => {})
    await late.stop()
    const watching = await startWatching({
      late: { url: late.url, poll_seconds: 3_600 },
      silent: { url: silent.url, deadline_ms: 600_000 },
    })
    try {
      assert.equal((await watching.status('silent')).state, 'starting')
      assert.equal((await watching.status('late')).state, 'document_unreachable')
      assert.equal((await watching.status('late')).document, null)
      // Nobody can say yet that there is no such operation.
      const missed = await getFrom(watching, '/v1/late/7?x=1')
      assert.deepEqual([missed.status, missed.body.code], [503, 'upstream_unavailable'])
      assert.equal(missed.headers.get('retry-after'), '2')
      assert.equal((await getFrom(watching, '/v1/later')).status, 404)
      for (const spelling of ['/v1/l%61te', '/v1/late/', '/v1/late#x', '/v1/late?x=1']) {
        assert.equal((await getFrom(watching, spelling)).status, 503, spelling)
      }
      await late.resume()
      await until('it is mounted', async () => (await getFrom(watching, '/v1/late')).status === 200)
      const { body } = await watching.running.request('GET', '/openapi.json')
      assert.ok(body.paths['/v1/late'], 'the document is older than the table')
      await watching.becomes('late', ({ state }) => state === 'up')
      assert.equal((await getFrom(watching, '/v1/late/7')).status, 404)
    } finally {
      await watching.close()
      await Promise.all([late.stop(), silent.stop()])
    }
  })

  for (const [what, unusable] of Object.entries({
    'is refused by the linter': document({
      '/v1/teams': { get: { responses: { 200: { description: 7 } } } },
    }),
    'the linter cannot bear': document({ '/v1/teams': { get: answering(refTo('A')) } }, { A: { allOf: 7 } }),
  }))
    it(`have nothing mounted by a document that ${what}`, async () => {
      const teams = await startDeclaring(unusable)
      const watching = await startWatching({ teams: { url: teams.url } })
      try {
        const { faults } = await watching.becomes('teams', ({ state }) => state === 'document_broken')
        assert.match(faults.join(), /Expected type|Reading it failed/)
        const looks = teams.polls.length
        await until('it was looked at again', async () => {
          const missed = await getFrom(watching, '/v1/teams')
          assert.deepEqual([missed.status, missed.body.code], [503, 'upstream_unavailable'])
          return teams.polls.length > looks + 2
        })
        teams.declare(document({ '/v1/teams': { get: answering({}) } }))
        await watching.becomes('teams', ({ state }) => state === 'up')
        assert.equal((await getFrom(watching, '/v1/teams')).status, 200)
      } finally {
        await watching.close()
        await teams.stop()
      }
    })
})

describe('a document that cannot be combined', () => {
  it('is not used, and is tried again', async () => {
    const teams = await startDeclaring(teamsDocument('1'))
    const log = pino({ level: 'silent' })
    let fails = true
    const documents = createDocuments()
    const combine: Documents['combine'] = (...args) =>
      fails ? Promise.reject(new DocumentBroken('The work on it took too long.')) : documents.combine(...args)
    const publication = createPublication(log, ['/v1/teams'])
    const sentinel = createSentinel({
      services: [{ ...service(), documentUrl: `${teams.url}/openapi.json`, pollMs: 50 }],
      ...{ documents: { ...documents, combine }, publication, log, now: Date.now, metrics: createMetrics() },
      breakerOf: () => 'closed',
    })
    const status = () => sentinel.statuses()[0]
    const find = (path: string) => publication.mounted.current.find('GET', path)
    try {
      await sentinel.start(JSON.stringify(document({})))
      await until('it is found', () => status()?.state === 'document_broken')
      assert.deepEqual(status()?.faults, [
        'It could not be combined with the others: The work on it took too long.',
      ])
      assert.deepEqual(find('/v1/teams'), { allow: [], isAwaited: true })
      // It is not mounted in vain each time.
      const seen = new Set<boolean>()
      const looks = teams.polls.length
      await until('it was looked at again', () => {
        seen.add('operation' in find('/v1/teams'))
        return teams.polls.length > looks + 3
      })
      assert.deepEqual([...seen], [false])
      fails = false
      await until('it is used', () => status()?.state === 'up')
      assert.ok('operation' in find('/v1/teams'))
    } finally {
      await sentinel.close()
      await teams.stop()
    }
  })
})

const getFrom = ({ running, token }: WatchingConsole, path: string) => running.request('GET', path, { token })
