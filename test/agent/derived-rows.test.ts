import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { COLLECTION, createAgent, putAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'
import { useDatabase } from '../support/database.ts'
import { makeVariedAgents } from '../support/varied-agents.ts'

describe('the rows that triggers derive from agents', async () => {
  const running = await useConsole()
  const { query } = running.database
  const first = await running.person()
  const last = await running.person()
  await makeVariedAgents(running, first, 40)
  await makeVariedAgents(running, last, 40)

  /** What the tables have and the database would not compute, and the other way round. */
  const difference = () =>
    query(`
      (SELECT to_jsonb(f) FROM agents a, filter_row(a) f EXCEPT SELECT to_jsonb(f) FROM agent_filters f)
      UNION ALL
      (SELECT to_jsonb(f) FROM agent_filters f EXCEPT SELECT to_jsonb(f) FROM agents a, filter_row(a) f)
      UNION ALL
      (SELECT to_jsonb(d) FROM agents a, delegation_rows(a) d EXCEPT SELECT to_jsonb(d) FROM delegations d)
      UNION ALL
      (SELECT to_jsonb(d) FROM delegations d EXCEPT SELECT to_jsonb(d) FROM agents a, delegation_rows(a) d)`)
  const rowOf = async (id: string) => (await query('SELECT * FROM agent_filters WHERE id = $1', [id]))[0]

  it('are those of every agent after any change', async () => {
    assert.deepEqual(await difference(), [])
    const [count] = await query<{ n: number }>('SELECT count(*)::int AS n FROM agent_filters')
    assert.equal(count?.n, 80)
  })

  it('follow each field that a filter uses, changed by itself', async () => {
    const { id } = await createAgent(running, first)
    const send = async (path: string, json: object) => {
      const before = await rowOf(id)
      const reply = await running.request('PUT', `${COLLECTION}/${id}${path}`, { token: first.token, json })
      assert.equal(reply.status, 200, reply.text)
      assert.notDeepEqual(await rowOf(id), before, JSON.stringify(json))
      assert.deepEqual(await difference(), [], JSON.stringify(json))
    }
    await send('', { status: 'draft' })
    await send('', { protection_status: 'guarded' })
    await send('', { access_level: 'white_box' })
    await send('', { protocol: 'a2a' })
    await send('', { model_name: 'another' })
    await send('', { hub: 'another' })
    await send('', { agent_name: 'another' })
    await send('', { agent_metadata: { tags: ['another'] } })
    await send('/lifecycle', { trust_stage: 'trusted' })
    const evaluation = { evaluation_id: id, revision: 10 }
    await send('/latest-evaluation', { ...evaluation, overall_score: 0.5 })
    await send('/latest-evaluation', { ...evaluation, overall_score: 0.6 })
    // The evaluation is outdated now.
    await send('', { agent_system_prompt: 'another' })
  })

  it('are not written by a change that no filter can see', async () => {
    const { id } = await createAgent(running, first)
    const version = async () =>
      (await query('SELECT xmin::text, xmax::text FROM agent_filters WHERE id = $1', [id]))[0]
    const before = await version()
    await putAgent(running, first, id, { purpose: 'x', agent_system_prompt: 'y', agent_url: 'https://z' })
    await putAgent(running, first, id, { api_key: 'secret', rate_limit_requests_per_minute: 7 })
    assert.deepEqual(await version(), before)
    await putAgent(running, first, id, { hub: 'another' })
    assert.notDeepEqual(await version(), before)
  })

  it('follow what an operator changes by SQL, each column by itself', async () => {
    const { id } = await createAgent(running, first, { delegated_agents: [{ url: 'https://a.example' }] })
    for (const [column, value] of [
      ['status', 'rejected'],
      ['trust_stage', 'adapted'],
      ['protection_status', 'guarded'],
      ['access_level', 'white_box'],
      ['protocol', 'a2a'],
      ['model_name', 'fixed'],
      ['hub', 'fixed'],
      ['agent_name', 'fixed'],
      ['agent_metadata', '{"tags": ["fixed"]}'],
      ['latest_evaluation', '{"revision": 1, "overall_score": 1}'],
      ['behaviour_revision', 2],
      ['delegated_agents', '[{"url": "https://b.example"}]'],
    ]) {
      await query(`UPDATE agents SET ${column} = $2 WHERE id = $1`, [id, value])
      assert.deepEqual(await difference(), [], `${column}`)
    }
    await query('DELETE FROM agents WHERE id = $1', [id])
    assert.equal(await rowOf(id), undefined)
    assert.deepEqual(await difference(), [])
  })

  it('are right after writers that change, delete and recover the same agents at the same time', async () => {
    const ids: string[] = []
    for (let n = 0; n < 4; n++) ids.push((await createAgent(running, first)).id)
    const send = (method: string, id: string, path = '', json?: object) =>
      running.request(method, `${COLLECTION}/${id}${path}`, { token: first.token, ...(json && { json }) })
    const write = async (writer: number) => {
      for (let n = 0; n < 12; n++) {
        const id = ids[(n + writer) % ids.length] as string
        const delegated_agents = Array.from({ length: (n + writer) % 3 }, () => ({ agent_id: ids[n % 4] }))
        await send('PUT', id, '', { hub: `hub-${writer}-${n}`, delegated_agents })
        if (n % 4 === writer % 4) await send('DELETE', id)
        if (n % 4 === 3) await send('POST', id, '/recover')
      }
    }
    await Promise.all([0, 1, 2, 3].map(write))
    assert.deepEqual(await difference(), [])
  })
})

describe('the key of a URL', async () => {
  const { query } = await useDatabase()
  const keyOf = async (url: string) => {
    const [row] = await query<{ key: string | null }>('SELECT url_key($1)::text AS key', [url])
    return row?.key
  }

  it('is the same for URLs that a server does not tell apart', async () => {
    for (const [url = '', same = ''] of [
      ['HTTPS://Agent.Example.COM', 'https://agent.example.com'],
      ['https://agent.example.com:443/', 'https://agent.example.com'],
      ['http://agent.example.com:80/a/#part', 'http://agent.example.com/a'],
      [' https://agent.example.com/a?x=1#y ', 'https://agent.example.com/a?x=1'],
      ['grpc://HOST:50051/', 'grpc://host:50051'],
      ['https://user:secret@agent.example.com/', 'https://agent.example.com'],
      ['https://agent.example.com/?', 'https://agent.example.com'],
      [' no url ', 'no url'],
    ]) {
      assert.equal(await keyOf(url), await keyOf(same), url)
    }
  })

  it('tells schemes, ports, paths and queries apart', async () => {
    const urls = [
      'https://a',
      'http://a',
      'https://a:8443',
      'http://a:443',
      'https://a/B',
      'https://a/b',
      'https://a?b',
      'https://a/b//',
      'mailto:A@a',
      'mailto:a@a',
    ]
    assert.equal(new Set(await Promise.all(urls.map(keyOf))).size, urls.length)
  })

  it('is missing for a text of spaces', async () => {
    assert.equal(await keyOf(' \t\n'), null)
  })
})
