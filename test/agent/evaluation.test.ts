import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { BEHAVIOUR_FIELDS } from '../../src/agent/fields.ts'
import { COLLECTION, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'
import { FIELD_NAMES, otherValueOf } from '../support/field-values.ts'

const changesOf = (isBehaviour: boolean) =>
  Object.fromEntries(
    FIELD_NAMES.filter((name) => BEHAVIOUR_FIELDS.includes(name) === isBehaviour).map((name) => [
      name,
      otherValueOf(name),
    ]),
  )
const BEHAVIOUR = changesOf(true)
const OTHER = { ...changesOf(false), api_key: 'other' }

describe('the latest evaluation of an agent', async () => {
  const running = await useConsole()
  const person = await running.person()

  const record = (id: string, json: unknown, token = person.token) =>
    running.request('PUT', `${COLLECTION}/${id}/latest-evaluation`, { token, json })
  const recordRaw = (id: string, raw: string) =>
    running.request('PUT', `${COLLECTION}/${id}/latest-evaluation`, { token: person.token, raw })
  const shown = async (id: string, query = 'include_scores=true') =>
    (await running.request('GET', `${COLLECTION}/${id}?${query}`, { token: person.token })).body
      .latest_evaluation
  const evaluation = (fields: object = {}) => ({ evaluation_id: randomUUID(), revision: 1, ...fields })

  it('is in a response with include_scores only, null when there is none', async () => {
    const { id } = await createAgent(running, person)
    assert.equal(await shown(id), null)
    const scores = { overall_score: 0.91, reliability_score: 1, security_score: 0, safety_score: null }
    const reported = evaluation({ ...scores, completed_at: 1_700_000_000 })
    const reply = await record(id, reported)
    assert.equal(reply.status, 200, reply.text)
    assert.deepEqual(reply.body, { ...reported, current: true })
    assert.deepEqual(await shown(id), reply.body)
    assert.deepEqual(await shown(id, 'include_scores=1&revision=1'), reply.body)
    for (const query of ['', 'include_scores=false', 'revision=1']) {
      assert.equal(await shown(id, query), undefined, query)
    }
    assert.equal('latest_evaluation' in (await putAgent(running, person, id, { purpose: 'x' })).body, false)
    const bad = await running.request('GET', `${COLLECTION}/${id}?include_scores=maybe`, {
      token: person.token,
    })
    assert.deepEqual(bad.body.detail[0].loc, ['query', 'include_scores'])
  })

  it('makes no revision: the ETag, updated_at, history and events stay', async () => {
    const { id } = await createAgent(running, person)
    const before = await getAgent(running, person, id)
    await record(id, evaluation())
    const after = await getAgent(running, person, id)
    assert.equal(after.text, before.text)
    assert.equal(after.headers.get('etag'), '"1"')
    const [counts] = await running.database.query(
      `SELECT (SELECT count(*) FROM agent_revisions WHERE agent_id = $1)::int AS revisions,
        (SELECT count(*) FROM outbox WHERE aggregateid = $1)::int AS events`,
      [id],
    )
    assert.deepEqual(counts, { revisions: 1, events: 1 })
  })

  it('is not hidden by a 304, which is about revisions only', async () => {
    const { id } = await createAgent(running, person)
    const headers = { 'if-none-match': '"1"' }
    assert.equal((await getAgent(running, person, id, { headers })).status, 304)
    const reply = await getAgent(running, person, `${id}?include_scores=true`, { headers })
    assert.equal(reply.status, 200)
    assert.equal(reply.headers.get('etag'), '"1"')
  })

  it('keeps unknown members as they came, but for `current`', async () => {
    const { id } = await createAgent(running, person)
    const unknown = { z: 1, a: { deep: [1e300, null, 'é'] }, constructor: 'x', toString: 0.1 }
    const { body } = await record(id, { ...evaluation({ completed_at: 5 }), ...unknown, current: false })
    assert.equal(body.current, true)
    for (const [name, value] of Object.entries(unknown)) assert.deepEqual(body[name], value)
    assert.deepEqual(await shown(id), body)
  })

  it('takes no member that could not be kept', async () => {
    const { id } = await createAgent(running, person)
    const start = `{"evaluation_id":"${randomUUID()}","revision":1`
    for (const [member, type] of [
      ['"overall_score":0.12345678901234567890', 'value_error'],
      ['"overall_score":1e400', 'finite_number'],
      ['"extra":12345678901234567891', 'value_error'],
      ['"extra":{"x":[12345678901234567891]}', 'value_error'],
      ['"extra":"\\u0000"', 'value_error'],
      ['"extra":"\\ud800"', 'string_unicode'],
      ['"__proto__":{}', 'value_error'],
      ['"constructor":1e400', 'finite_number'],
    ] as const) {
      const reply = await recordRaw(id, `${start},${member}}`)
      assert.equal(reply.status, 422, member)
      assert.equal(reply.body.detail[0].type, type, member)
    }
    assert.equal(await shown(id), null)
  })

  it('is the one completed last, in whatever order they are reported', async () => {
    const { id } = await createAgent(running, person)
    const newer = (await record(id, evaluation({ completed_at: 2_000 }))).body
    const late = await record(id, evaluation({ completed_at: 1_999, overall_score: 1 }))
    assert.equal(late.status, 200)
    assert.deepEqual(late.body, newer)
    assert.deepEqual(await shown(id), newer)
    const newest = (await record(id, evaluation({ completed_at: 2_001 }))).body
    assert.deepEqual(await shown(id), newest)
  })

  it('of the same second is that of the newer revision, then the one reported last', async () => {
    const { id } = await createAgent(running, person)
    await putAgent(running, person, id, { purpose: 'x' })
    const first = evaluation({ completed_at: 7, revision: 2 })
    await record(id, first)
    const older = await record(id, evaluation({ completed_at: 7, revision: 1 }))
    assert.equal(older.body.evaluation_id, first.evaluation_id)
    const corrected = await record(id, { ...first, overall_score: 0.5 })
    assert.equal(corrected.body.overall_score, 0.5)
    assert.equal((await shown(id)).overall_score, 0.5)
  })

  it('without a time was completed now', async () => {
    const { id } = await createAgent(running, person)
    for (const missing of [{}, { completed_at: null }]) {
      const from = Math.floor(Date.now() / 1_000)
      const { body } = await record(id, evaluation(missing))
      assert.ok(body.completed_at >= from && body.completed_at <= Date.now() / 1_000)
    }
  })

  it('is refused when its time lies more than a day ahead: one in milliseconds would stay the newest for ever', async () => {
    const { id } = await createAgent(running, person)
    const now = Math.floor(Date.now() / 1_000)
    for (const completed_at of [Date.now(), now + 86_500]) {
      const reply = await record(id, evaluation({ completed_at }))
      assert.equal(reply.status, 422, reply.text)
      const msg = 'Value error, completed_at must be Unix time in seconds, at most one day in the future'
      assert.deepEqual(reply.body.detail, [{ loc: ['body', 'completed_at'], msg, type: 'value_error' }])
    }
    assert.equal(await shown(id), null)
    assert.equal((await record(id, evaluation({ completed_at: now + 86_300 }))).status, 200)
  })

  it('of many reported at once is the newest', async () => {
    const { id } = await createAgent(running, person)
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => record(id, evaluation({ completed_at: (n * 17) % 40 }))),
    )
    assert.equal((await shown(id)).completed_at, 39)
  })

  it('is refused when it names a revision that the agent does not have', async () => {
    const { id } = await createAgent(running, person)
    const reply = await record(id, evaluation({ revision: 2 }))
    assert.equal(reply.status, 422)
    const msg = 'Value error, the agent has no such revision'
    assert.deepEqual(reply.body.detail, [{ loc: ['body', 'revision'], msg, type: 'value_error' }])
    await record(id, evaluation())
    assert.equal((await record(id, evaluation({ revision: 2 }))).status, 422)
    await putAgent(running, person, id, { purpose: 'x' })
    assert.equal((await record(id, evaluation({ revision: 2 }))).status, 200)
  })

  it('needs an id and a revision, and numbers for scores', async () => {
    const { id } = await createAgent(running, person)
    const loc = (reply: { body: { detail: { loc: string[] }[] } }) =>
      reply.body.detail.map((fault) => fault.loc.at(-1))
    assert.deepEqual(loc(await record(id, {})), ['evaluation_id', 'revision'])
    assert.deepEqual(loc(await record(id, evaluation({ evaluation_id: 'x', revision: null }))), [
      'evaluation_id',
      'revision',
    ])
    assert.deepEqual(loc(await record(id, evaluation({ revision: 0 }))), ['revision'])
    assert.deepEqual(loc(await record(id, evaluation({ revision: 1.5 }))), ['revision'])
    assert.deepEqual(loc(await record(id, evaluation({ overall_score: '1', completed_at: 'now' }))), [
      'overall_score',
      'completed_at',
    ])
  })

  it('has its id in the canonical UUID format', async () => {
    const { id } = await createAgent(running, person)
    const evaluationId = randomUUID()
    const { body } = await record(id, evaluation({ evaluation_id: evaluationId.toUpperCase() }))
    assert.equal(body.evaluation_id, evaluationId)
  })

  it('is written by holders of evaluation:write', async () => {
    const { id } = await createAgent(running, person)
    const { token } = await running.person({ team: person.team, scope: 'agent:read agent:write' })
    const reply = await record(id, evaluation(), token)
    assert.equal(reply.status, 403)
    assert.match(reply.body.detail, /evaluation:write/)
  })

  for (const [field, value] of Object.entries(BEHAVIOUR)) {
    it(`no longer holds once ${field} has changed, until one of the new behaviour is recorded`, async () => {
      const { id } = await createAgent(running, person)
      await record(id, evaluation({ completed_at: 1 }))
      await putAgent(running, person, id, { [field]: value })
      assert.equal((await shown(id)).current, false)
      assert.equal((await record(id, evaluation({ completed_at: 2, revision: 1 }))).body.current, false)
      assert.equal((await record(id, evaluation({ completed_at: 3, revision: 2 }))).body.current, true)
      await putAgent(running, person, id, { [field]: value })
      assert.equal((await shown(id)).current, true, 'the same value again is no change')
    })
  }

  it('still holds when anything else changes, even together with its stage', async () => {
    const { id } = await createAgent(running, person)
    await record(id, evaluation())
    for (const [field, value] of Object.entries(OTHER)) {
      assert.equal((await putAgent(running, person, id, { [field]: value })).status, 200)
      assert.equal((await shown(id)).current, true, field)
    }
    const path = `${COLLECTION}/${id}/lifecycle`
    await running.request('PUT', path, { token: person.token, json: { trust_stage: 'tested' } })
    assert.equal((await shown(id)).current, true)
    const reply = await getAgent(running, person, id)
    assert.equal(reply.headers.get('etag'), `"${2 + Object.keys(OTHER).length}"`)
  })

  it('no longer holds once the token of the source has changed, or a restore brought old behaviour back', async () => {
    const white_box_config = { repo_url: 'r', github_token: 'one' }
    const { id } = await createAgent(running, person, { white_box_config })
    await record(id, evaluation({ completed_at: 1 }))
    await putAgent(running, person, id, { white_box_config: { ...white_box_config, github_token: 'two' } })
    assert.equal((await shown(id)).current, false)
    await putAgent(running, person, id, { hub: 'h' })
    await record(id, evaluation({ completed_at: 2, revision: 3 }))
    assert.equal((await shown(id)).current, true)
    await running.request('POST', `${COLLECTION}/${id}/revisions/1/restore`, { token: person.token })
    assert.equal((await shown(id)).current, false)
    assert.equal((await shown(id)).revision, 3, 'a restore keeps the scores')
  })

  it('and an update at the same time both survive', async () => {
    const { id } = await createAgent(running, person)
    const rounds = 30
    await Promise.all([
      (async () => {
        for (let n = 1; n <= rounds; n++) await record(id, evaluation({ completed_at: n }))
      })(),
      (async () => {
        for (let n = 1; n <= rounds; n++) await putAgent(running, person, id, { purpose: String(n) })
      })(),
    ])
    assert.equal((await shown(id)).completed_at, rounds)
    assert.equal((await getAgent(running, person, id)).body.purpose, String(rounds))
  })
})
