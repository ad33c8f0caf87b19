import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import type { ValidationError } from '../../src/api/problem.ts'
import { COLLECTION, createAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'

interface Operation {
  operationId: string
  parameters?: { in: string; name: string }[]
}

describe('a query name that the operation does not declare', async () => {
  const running = await useConsole()
  const person = await running.person()
  const agent = await createAgent(running, person)
  const { body: document } = await running.request('GET', '/openapi.json')
  const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        ...operation,
        method: method.toUpperCase(),
        path: path.replace('{id}', agent.id).replace('{agent_id}', randomUUID()).replace('{revision}', '1'),
      })),
  )

  /** The errors of unknown names; the others are about the absent body. */
  const unknown = async (method: string, target: string) => {
    const reply = await running.request<{ detail: ValidationError[] }>(method, target, {
      token: person.token,
    })
    assert.equal(reply.status, 422, `${method} ${target}: ${reply.text}`)
    return reply.body.detail.filter(({ type }) => type === 'extra_forbidden')
  }
  const get = async (target: string) =>
    (await unknown('GET', target)).map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)

  it('is refused by every operation', async () => {
    assert.ok(operations.length >= 16)
    for (const { method, path, operationId } of operations) {
      assert.deepEqual(
        await unknown(method, `${path}?zzz=1`),
        [{ loc: ['query', 'zzz'], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' }],
        operationId,
      )
    }
    // Nothing was deleted, restored or forwarded.
    const read = await running.request('GET', `${COLLECTION}/${agent.id}`, { token: person.token })
    assert.equal(read.headers.get('etag'), '"1"')
    assert.deepEqual(running.evolution.requests(), [])
  })

  it('is refused with the name that the client probably means', async () => {
    const list = COLLECTION
    const diff = `${COLLECTION}/${agent.id}/revisions/1/diff`
    for (const [target, name, instead] of [
      [list, 'offset', 'cursor'],
      [list, 'page', 'cursor'],
      [list, 'search', 'q'],
      [list, 'per_page', 'limit'],
      [list, 'status', 'statuses'],
      [list, 'trust_stage', 'trust_stages'],
      [list, 'protectionStatus', 'protection_statuses'],
      [list, 'statuses[]', 'statuses'],
      [list, 'include-scores', 'include_scores'],
      [list, 'LIMIT', 'limit'],
      [list, 'limt', 'limit'],
      [list, 'limiit', 'limit'],
      [list, 'linit', 'limit'],
      [list, 'limti', 'limit'],
      [list, 'statsu', 'statuses'],
      [list, 'trust_sage', 'trust_stages'],
      [diff, 'to', 'against'],
      [`${COLLECTION}/events`, 'agent_id', 'agent_ids'],
      ['/v1/audit-events', 'agent_ids', 'agent_id'],
    ] as const) {
      assert.deepEqual(await get(`${target}?${encodeURIComponent(name)}=1`), [
        `query.${name}: Extra inputs are not permitted, use '${instead}'`,
      ])
    }
    for (const [target, name] of [
      [diff, 'offset'],
      [list, 'constructor'],
      [list, '__proto__'],
      [list, 'lt'],
      [list, ''],
    ] as const) {
      assert.deepEqual(await get(`${target}?${name}=1`), [`query.${name}: Extra inputs are not permitted`])
    }
  })

  it('is reported with the other errors, after those of declared parameters, and cut if it is long', async () => {
    const long = 'n'.repeat(5_000)
    const reply = await running.request<{ detail: ValidationError[] }>(
      'GET',
      `${COLLECTION}/abc?zzz=1&revision=x&${long}=2&zzz=3`,
      { token: person.token },
    )
    assert.deepEqual(
      reply.body.detail.map(({ loc, type }) => `${loc.join('.')} ${type}`),
      [
        'path.id uuid_parsing',
        'query.revision int_parsing',
        'query.zzz extra_forbidden',
        `query.${'n'.repeat(100)}… extra_forbidden`,
      ],
    )
  })

  it('is accepted by routes that are no operations of the document', async () => {
    for (const path of ['/', '/health/live', '/health/ready', '/openapi.json', '/asyncapi.json', '/docs']) {
      assert.equal((await running.request('GET', `${path}?zzz=1`)).status, 200, path)
    }
  })
})
