import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { MAX_EVALUATIONS } from '../../src/agent/evaluations/evaluations.ts'
import type { EvaluationSeries, RecordedEvaluation } from '../../src/agent/evaluations/schema.ts'
import { BEHAVIOUR_FIELDS } from '../../src/agent/fields.ts'
import { eraseStep } from '../../src/agent/lifecycle/erase.ts'
import { COLLECTION, createAgent, putAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'
import { FIELD_NAMES, otherValueOf } from '../support/field-values.ts'
import { insertRevisions } from '../support/revisions.ts'

describe('the evaluations of an agent', async () => {
  const running = await useConsole()
  const person = await running.person()

  const ask = (method: string, path: string, json?: object) =>
    running.request(method, COLLECTION + path, { token: person.token, ...(json && { json }) })
  const record = async (id: string, fields: object) => {
    const report = { evaluation_id: randomUUID(), revision: 1, ...fields }
    const reply = await ask('PUT', `/${id}/latest-evaluation`, report)
    assert.equal(reply.status, 200, reply.text)
    return { report, latest: reply.body }
  }
  const list = async (id: string, query = ''): Promise<RecordedEvaluation[]> => {
    const reply = await ask('GET', `/${id}/evaluations${query}`)
    assert.equal(reply.status, 200, reply.text)
    return reply.body.results
  }
  const series = async (id: string, query = ''): Promise<EvaluationSeries> => {
    const reply = await ask('GET', `/${id}/evaluations/series${query}`)
    assert.equal(reply.status, 200, reply.text)
    return reply.body
  }
  /** Stores evaluations of revision 1, completed at 1, 2, 3 and so on. */
  const insert = (id: string, count: number, score = 'n') =>
    running.database.query(
      `INSERT INTO agent_evaluations (team_id, agent_id, evaluation_id, completed_at, revision, overall_score)
       SELECT $1, $2, gen_random_uuid(), n, 1, ${score} FROM generate_series(1, $3::int) n`,
      [person.team, id, count],
    )

  it('are all listed, the last completed one first, with scores and revision', async () => {
    const { id } = await createAgent(running, person)
    assert.deepEqual(await list(id), [])
    const scores = { overall_score: 0.91, reliability_score: 1e300, security_score: -5e-324 }
    await record(id, { completed_at: 20, ...scores, unknown: 'not listed' })
    await record(id, { completed_at: 10, safety_score: 0 })
    const { latest } = await record(id, { completed_at: 30 })
    const none = { overall_score: null, reliability_score: null, security_score: null, safety_score: null }
    const expected = [
      { completed_at: 30, ...none },
      { completed_at: 20, ...none, ...scores },
      { completed_at: 10, ...none, safety_score: 0 },
    ]
    const found = await list(id)
    assert.deepEqual(
      found,
      expected.map((each, index) => ({
        ...{ evaluation_id: found[index]?.evaluation_id, revision: 1, current: true, outdated_by: [] },
        ...each,
      })),
    )
    assert.equal(found[0]?.evaluation_id, latest.evaluation_id)
  })

  it('come in pages without gap or repetition, also those of the same second', async () => {
    const { id } = await createAgent(running, person)
    await putAgent(running, person, id, { purpose: 'x' })
    for (let n = 0; n < 12; n++)
      await record(id, { completed_at: 5 + (n % 2), revision: 1 + (n % 3 === 0 ? 1 : 0) })
    const all = await list(id)
    const paged: RecordedEvaluation[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const reply = await ask('GET', `/${id}/evaluations?limit=5${cursor && `&cursor=${cursor}`}`)
      paged.push(...reply.body.results)
      cursor = reply.body.next_cursor as string | null
    }
    assert.equal(all.length, 12)
    assert.deepEqual(paged, all)
    const other = await createAgent(running, person)
    const { body } = await ask('GET', `/${id}/evaluations?limit=5`)
    const foreign = await ask('GET', `/${other.id}/evaluations?cursor=${body.next_cursor}`)
    assert.equal(foreign.status, 422, 'a cursor belongs to its agent')
  })

  it('say which fields outdated them', async () => {
    const { id } = await createAgent(running, person)
    await record(id, { completed_at: 1, revision: 1 })
    await putAgent(running, person, id, { agent_url: 'https://a.example', purpose: 'x' })
    await record(id, { completed_at: 2, revision: 2 })
    await putAgent(running, person, id, { purpose: 'y' })
    await record(id, { completed_at: 3, revision: 3 })
    await putAgent(running, person, id, { model_name: 'other', agent_params: { temperature: 1 } })
    await record(id, { completed_at: 4, revision: 4 })
    await putAgent(running, person, id, { status: 'draft' })
    assert.deepEqual(
      (await list(id)).map(({ revision, current, outdated_by }) => [revision, current, outdated_by]),
      [
        [4, true, []],
        [3, false, ['agent_params', 'model_name']],
        [2, false, ['agent_params', 'model_name']],
        [1, false, ['agent_params', 'agent_url', 'model_name']],
      ],
    )
  })

  it('are outdated by every field that affects the behaviour', async () => {
    const { id } = await createAgent(running, person)
    await record(id, { completed_at: 1 })
    const affecting = FIELD_NAMES.filter((name) => BEHAVIOUR_FIELDS.includes(name))
    await putAgent(
      running,
      person,
      id,
      Object.fromEntries(affecting.map((name) => [name, otherValueOf(name)])),
    )
    assert.deepEqual((await list(id))[0]?.outdated_by, BEHAVIOUR_FIELDS.toSorted())
  })

  it('of long ago name the fields of the last thousand revisions up to the change', async () => {
    const { id } = await createAgent(running, person)
    await record(id, { completed_at: 1 })
    await insertRevisions(running.database, person, id, 1_500)
    await running.database.query(
      `UPDATE agent_revisions SET fields = '{agent_url}' WHERE agent_id = $1 AND revision = 2`,
      [id],
    )
    await putAgent(running, person, id, { hub: 'other' })
    assert.deepEqual((await list(id))[0]?.outdated_by, ['hub'])
  })

  it('are corrected by the same id, never made older, and the latest is always the first', async () => {
    const { id } = await createAgent(running, person)
    const { report } = await record(id, { completed_at: 100, overall_score: 1 })
    await record(id, { completed_at: 90 })
    await record(id, { ...report, overall_score: 2 })
    const { latest } = await record(id, { ...report, completed_at: 80, overall_score: 3 })
    assert.equal(latest.overall_score, 2)
    const found = await list(id)
    assert.deepEqual(
      found.map(({ completed_at, overall_score }) => [completed_at, overall_score]),
      [
        [100, 2],
        [90, null],
      ],
    )
    const { body } = await running.request('GET', `/v1/audit-events?agent_id=${id}`, { token: person.token })
    const recorded = body.results.filter(
      ({ action }: { action: string }) => action === 'agent_evaluation_recorded',
    )
    assert.equal(recorded.length, 3, 'the one that changed nothing is not recorded')
  })

  it(`are at most ${MAX_EVALUATIONS}: the oldest go first`, async () => {
    const { id } = await createAgent(running, person)
    await insert(id, MAX_EVALUATIONS + 20)
    const { report } = await record(id, { completed_at: MAX_EVALUATIONS + 100 })
    const counted = async () =>
      running.database.query(
        'SELECT count(*)::int AS count, min(completed_at)::int AS first FROM agent_evaluations WHERE agent_id = $1',
        [id],
      )
    assert.deepEqual(await counted(), [{ count: MAX_EVALUATIONS, first: 22 }])
    await record(id, report)
    const [{ count } = { count: 0 }] = await counted()
    assert.ok(count >= MAX_EVALUATIONS - 1 && count <= MAX_EVALUATIONS)
  })

  it('make a series for a chart, in the order of time', async () => {
    const { id } = await createAgent(running, person)
    assert.deepEqual(await series(id), { metric: 'overall_score', count: 0, points: [] })
    const first = await record(id, { completed_at: 20, overall_score: 0.2, security_score: 7 })
    const second = await record(id, { completed_at: 10, overall_score: 0.1 })
    await record(id, { completed_at: 30, safety_score: 1 })
    const point = (
      { report: { evaluation_id, revision } }: typeof first,
      completed_at: number,
      value: number,
    ) => ({
      ...{ evaluation_id, completed_at, revision, value },
    })
    assert.deepEqual(await series(id), {
      metric: 'overall_score',
      count: 2,
      points: [point(second, 10, 0.1), point(first, 20, 0.2)],
    })
    assert.deepEqual((await series(id, '?since=11')).points, [point(first, 20, 0.2)])
    assert.deepEqual(await series(id, '?metric=security_score'), {
      metric: 'security_score',
      count: 1,
      points: [point(first, 20, 7)],
    })
    assert.equal((await ask('GET', `/${id}/evaluations/series?metric=agent_name`)).status, 422)
  })

  it('make a series of at most 500 points, which keeps every extreme, the first and the last', async () => {
    const { id } = await createAgent(running, person)
    await insert(id, 500, '1')
    assert.equal((await series(id)).points.length, 500)
    const { id: long } = await createAgent(running, person)
    await insert(long, 9_000, 'CASE n WHEN 1234 THEN -50 WHEN 4321 THEN 50 ELSE sin(n) END')
    const { count, points } = await series(long)
    assert.equal(count, 9_000)
    assert.ok(points.length > 400 && points.length <= 500, `${points.length} points`)
    const times = points.map(({ completed_at }) => completed_at)
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    )
    assert.deepEqual([times[0], times.at(-1)], [1, 9_000])
    const at = (time: number) => points.find(({ completed_at }) => completed_at === time)?.value
    assert.deepEqual([at(1234), at(4321)], [-50, 50])
    assert.equal((await series(long, '?since=8990')).points.length, 11)
  })

  it('go with the agent, in steps, and not before its time', async () => {
    const { id } = await createAgent(running, person)
    const kept = await createAgent(running, person)
    await insert(kept.id, 5)
    await insert(id, 2_500)
    await ask('DELETE', `/${id}`)
    assert.equal((await ask('GET', `/${id}/evaluations`)).status, 404)
    const nowSeconds = Math.floor(Date.now() / 1_000)
    assert.equal(await eraseStep(running.core.database.system, nowSeconds), false)
    await ask('POST', `/${id}/recover`)
    assert.equal((await list(id, '?limit=500')).length, 500)
    await ask('DELETE', `/${id}?erase=true`)
    const left = async () => {
      const [row] = await running.database.query<{ evaluations: number; revisions: number }>(
        `SELECT (SELECT count(*) FROM agent_evaluations WHERE agent_id = $1)::int AS evaluations,
          (SELECT count(*) FROM agent_revisions WHERE agent_id = $1)::int AS revisions`,
        [id],
      )
      return [row?.evaluations, row?.revisions]
    }
    const steps = [await left()]
    while (await eraseStep(running.core.database.system, nowSeconds + 60)) steps.push(await left())
    assert.deepEqual(steps, [
      [2_500, 4],
      [1_500, 4],
      [500, 4],
      [0, 0],
    ])
    assert.equal((await list(kept.id)).length, 5)
  })
})
