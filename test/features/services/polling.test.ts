import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import { validateDocument } from '../../../src/features/services/document/read.ts'
import { Poller } from '../../../src/features/services/poll/poller.ts'
import { DocumentWorkers, Publisher } from '../../../src/features/services/poll/publisher.ts'
import { createMetrics } from '../../../src/platform/observe/metrics.ts'
import { document, refTo, returning, sending, service } from '../../support/service-documents.ts'
import { until } from '../../support/until.ts'
import { type PollingConsole, startPolling, usePolling, usePublishing } from './publishing.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test says itself what it expects of a document
type Any = any

const STATUSES = ['new', 'old']
const teamsDocument = (version: string, change: (parts: { paths: Any; team: Any }) => void = () => {}) => {
  const paths: Any = {
    '/v1/teams': { get: returning({ type: 'array', items: refTo('Team') }), post: sending(refTo('Team')) },
    '/v1/teams/{id}': { get: returning(refTo('Team'), { operationId: 'getTeam' }) },
  }
  const team: Any = {
    type: 'object',
    required: ['id', 'status'],
    properties: { id: { type: 'string' }, status: { type: 'string', enum: STATUSES } },
  }
  change({ paths, team })
  return { ...document(paths, { Team: team }), info: { title: 'Teams', version } }
}

describe('the document poller', async () => {
  const teams = await usePublishing(teamsDocument('1'))
  const polling = await usePolling({ teams: { url: teams.url } })

  const get = (path: string) => getFrom(polling, path)
  /** The combined document, which is valid at every moment. */
  const combined = async (): Promise<Any> => {
    const { body } = await polling.running.request('GET', '/openapi.json')
    validateDocument(structuredClone(body))
    return body
  }
  const adopt = (version: string, change?: Parameters<typeof teamsDocument>[1]) => {
    teams.publish(teamsDocument(version, change))
    return polling.becomes('teams', ({ document: adopted }) => adopted?.version === version)
  }

  it('mounts the operations of a service', async () => {
    await polling.becomes('teams', ({ state }) => state === 'up')
    teams.respond(200, '{"id":"1","status":"new"}')
    const answer = await get('/v1/teams/1')
    assert.deepEqual([answer.status, answer.text], [200, '{"id":"1","status":"new"}'])
  })

  it('publishes them in the combined document', async () => {
    assert.equal((await combined()).paths['/v1/teams/{id}'].get.operationId, 'TeamsGetTeam')
    const { state, document: adopted, errors, breaker, tag, prefixes } = await polling.status('teams')
    assert.deepEqual([state, errors, breaker, tag, prefixes], ['up', [], 'closed', 'Teams', ['/v1/teams']])
    assert.deepEqual([adopted?.version, adopted?.operations, adopted?.title], ['1', 3, 'Teams'])
  })

  it('polls with the entity tag of the last document', async () => {
    const before = teams.polls.length
    await until('it has polled again', () => teams.polls.length > before + 2)
    assert.ok(teams.polls.slice(before).every((tag) => tag !== undefined))
  })

  it('serves the combined document with a strong tag that changes with it', async () => {
    const first = await polling.running.request('GET', '/openapi.json')
    const etag = first.headers.get('etag') ?? ''
    assert.match(etag, /^"/)
    const again = (tag: string) =>
      polling.running.request('GET', '/openapi.json', { headers: { 'if-none-match': tag } })
    assert.equal((await again(etag)).status, 304)
    assert.equal((await again(`"other", W/${etag}`)).status, 304)
    assert.equal((await again('*')).status, 304)
    await adopt('1.1', ({ paths }) => (paths['/v1/teams/more'] = { get: returning({}) }))
    assert.equal((await again(etag)).status, 200)
    assert.equal((await get('/v1/teams/more')).status, 200)
  })

  it('shows when the document changed: a removed path is gone here too, and from the document', async () => {
    const before = await polling.status('teams')
    const { document: changed } = await adopt('2', ({ paths }) => delete paths['/v1/teams/{id}'])
    assert.ok((changed?.since ?? 0) >= (before.document?.since ?? 0))
    assert.equal((await get('/v1/teams/1')).status, 404)
    assert.equal((await combined()).paths['/v1/teams/{id}'], undefined)
    const lines = polling.running.logLines.map((line) => JSON.parse(line))
    assert.ok(
      lines.some(
        ({ msg, service: name, from_version, to_version }) =>
          msg === 'the document of a service changed' &&
          [name, from_version, to_version].join() === 'teams,1.1,2',
      ),
    )
    const metrics = await polling.running.core.metrics.registry.metrics()
    assert.match(metrics, /console_service_document_changes_total\{service="teams"\} 2/)
    assert.match(metrics, /console_service_document_state\{service="teams",state="up"\} 1/)
  })

  it('keeps the last good document while a newer one is broken, and says why', async () => {
    teams.publish('{"openapi": "3.1.0", "paths": 7')
    const broken = await polling.becomes('teams', ({ state }) => state === 'document_invalid')
    assert.match(broken.errors.join(), /neither JSON nor YAML/)
    assert.equal(broken.document?.version, '2')
    assert.equal((await get('/v1/teams')).status, 200)
    await combined()
    teams.publish({ ...teamsDocument('5'), openapi: '9.9' })
    await polling.becomes('teams', ({ errors }) => errors.join().includes('9.9'))
    const mended = await adopt('5')
    assert.deepEqual([mended.state, mended.errors], ['up', []])
  })

  it('keeps the last good document while the service is down, whose operations return 503', async () => {
    await teams.stop()
    const reason = 'Its document could not be fetched: ECONNREFUSED.'
    const down = await polling.becomes('teams', ({ errors }) => errors.includes(reason))
    assert.equal(down.state, 'document_unreachable')
    assert.equal(down.document?.version, '5')
    const answer = await get('/v1/teams')
    assert.deepEqual([answer.status, answer.body.code], [503, 'upstream_unavailable'])
    assert.ok((await combined()).paths['/v1/teams'])
    await teams.resume()
    const up = await polling.becomes('teams', ({ state }) => state === 'up')
    assert.ok(up.since >= down.since)
  })

  it('leaves out what lies outside the prefixes, and says so', async () => {
    const { document: adopted } = await adopt('6', ({ paths }) => {
      paths['/v1/agent-configurations/{id}'] = { get: returning({}) }
    })
    assert.deepEqual(adopted?.left_out, [
      'GET /v1/agent-configurations/{id} is left out: it is outside the prefixes of teams.',
    ])
    const own = (await combined()).paths['/v1/agent-configurations/{id}']
    assert.deepEqual(own.get.tags, ['Agent Environment', 'Agents'])
    assert.ok(polling.running.logLines.some((line) => line.includes('outside the prefixes of teams')))
  })

  it('is shown only with the permission service:read', async () => {
    const { running } = polling
    const reader = await running.person({ scope: 'service:read' })
    const other = await running.person({ scope: 'agent:read audit:read' })
    assert.equal((await running.request('GET', '/v1/services', { token: reader.token })).status, 200)
    const refused = await running.request('GET', '/v1/services', { token: other.token })
    assert.deepEqual([refused.status, refused.body.code], [403, 'permission_missing'])
    assert.equal((await running.request('GET', '/v1/services')).status, 401)
  })
})

describe('services that are not there at the start', async () => {
  const late = await usePublishing(document({ '/v1/late': { get: returning({}) } }))
  const silent = await usePublishing('')
  silent.behave(() => {})
  await late.stop()
  const polling = await usePolling({
    late: { url: late.url, poll_seconds: 3_600 },
    silent: { url: silent.url, deadline_ms: 600_000 },
  })
  const statusOf = async (path: string) => (await getFrom(polling, path)).status

  it('do not keep the console from starting, and their paths return 503', async () => {
    assert.equal((await polling.status('silent')).state, 'starting')
    const { state, document: adopted } = await polling.status('late')
    assert.deepEqual([state, adopted], ['document_unreachable', null])
    const missed = await getFrom(polling, '/v1/late/7?x=1')
    assert.deepEqual([missed.status, missed.body.code], [503, 'upstream_unavailable'])
    assert.equal(missed.headers.get('retry-after'), '2')
    assert.equal(await statusOf('/v1/later'), 404)
    for (const path of ['/v1/l%61te', '/v1/late/', '/v1/late#x', '/v1/late?x=1']) {
      assert.equal(await statusOf(path), 503, path)
    }
  })

  it('are mounted when they come, together with their document', async () => {
    await late.resume()
    await until('it is mounted', async () => (await statusOf('/v1/late')) === 200)
    const { body } = await polling.running.request('GET', '/openapi.json')
    assert.ok(body.paths['/v1/late'], 'the document is older than the table')
    await polling.becomes('late', ({ state }) => state === 'up')
    assert.equal(await statusOf('/v1/late/7'), 404)
  })
})

describe('services whose first document is invalid', async () => {
  const teams = await usePublishing(
    document({ '/v1/teams': { get: { responses: { 200: { description: 7 } } } } }),
  )
  const polling = await usePolling({ teams: { url: teams.url } })

  it('have nothing mounted until a valid one comes', async () => {
    const { errors } = await polling.becomes('teams', ({ state }) => state === 'document_invalid')
    assert.match(errors.join(), /type must be string/)
    const polls = teams.polls.length
    await until('it was polled again', async () => {
      const missed = await getFrom(polling, '/v1/teams')
      assert.deepEqual([missed.status, missed.body.code], [503, 'upstream_unavailable'])
      return teams.polls.length > polls + 2
    })
    teams.publish(document({ '/v1/teams': { get: returning({}) } }))
    await polling.becomes('teams', ({ state }) => state === 'up')
    assert.equal((await getFrom(polling, '/v1/teams')).status, 200)
  })
})

describe('two services that publish the same names', async () => {
  const contentOf = (path: string, type: string) =>
    document(
      { [path]: { get: returning(refTo('Report'), { operationId: 'listReports' }) } },
      { Report: { type: 'object', properties: { id: { type } } } },
    )
  const teams = await usePublishing(contentOf('/v1/teams', 'string'))
  const campaigns = await usePublishing(contentOf('/v1/campaigns', 'integer'))

  const namesOf = async ({ running }: PollingConsole, path: string) => {
    const { body } = await running.request('GET', '/openapi.json')
    const { get } = body.paths[path]
    return [get.operationId, get.responses['200'].content['application/json'].schema.$ref]
  }
  const both = { teams: { url: teams.url }, campaigns: { url: campaigns.url } }

  const cases = [
    { early: 'teams', late: 'campaigns' },
    { early: 'campaigns', late: 'teams' },
  ] as const
  for (const { early, late } of cases) {
    for (const order of [[early, late] as const, [late, early] as const]) {
      it(`keep theirs when ${late} comes later, with ${order[0]} first in the services file`, async () => {
        const lateService = late === 'teams' ? teams : campaigns
        await lateService.stop()
        const polling = await startPolling(Object.fromEntries(order.map((name) => [name, both[name]])))
        try {
          await polling.becomes(early, ({ state }) => state === 'up')
          const before = await namesOf(polling, `/v1/${early}`)
          await lateService.resume()
          await polling.becomes(late, ({ state }) => state === 'up')
          assert.deepEqual(await namesOf(polling, `/v1/${early}`), before)
          const prefix = late === 'teams' ? 'Teams' : 'Campaigns'
          const names = [`${prefix}ListReports`, `#/components/schemas/${prefix}Report`]
          assert.deepEqual(await namesOf(polling, `/v1/${late}`), names)
        } finally {
          await polling.close()
        }
      })
    }
  }
})

describe('a document that cannot be combined', async () => {
  const teams = await usePublishing(teamsDocument('1'))

  it('is not used, and is tried again', async () => {
    const log = pino({ level: 'silent' })
    let fails = true
    const real = new DocumentWorkers({ log })
    const combine: DocumentWorkers['combine'] = (...args) =>
      fails ? Promise.reject(new Error('It took longer than 20000 ms.')) : real.combine(...args)
    const prepare: DocumentWorkers['prepare'] = (...args) => real.prepare(...args)
    const workers = { prepare, combine }
    const services = [{ ...service(), documentUrl: `${teams.url}/openapi.json`, pollMs: 50 }]
    const publisher = new Publisher(services, workers)
    const shared = { workers, log, now: Date.now, metrics: createMetrics() }
    const poller = new Poller({
      ...{ ...shared, services, publisher, breakerOf: () => 'closed' as const },
      startTimeoutMs: 60_000,
    })
    const status = () => poller.statuses()[0]
    const find = (path: string) => publisher.current.table.find('GET', path)
    try {
      await poller.start(JSON.stringify(document({})))
      // The start waits for the first poll.
      assert.equal(status()?.state, 'document_invalid')
      assert.deepEqual(status()?.errors, [
        'It could not be combined with the others: It took longer than 20000 ms.',
      ])
      const polls = teams.polls.length
      await until('it was polled again', () => {
        assert.deepEqual(find('/v1/teams'), { allow: [], isPending: true })
        return teams.polls.length > polls + 3
      })
      fails = false
      await until('it is used', () => status()?.state === 'up')
      assert.ok('operation' in find('/v1/teams'))
    } finally {
      poller.close()
      await real.close()
    }
  })
})

const getFrom = ({ running, token }: PollingConsole, path: string) => running.request('GET', path, { token })
