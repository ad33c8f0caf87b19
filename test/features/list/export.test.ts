import assert from 'node:assert/strict'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { describe, it } from 'node:test'
import type { Agent } from '../../../src/agent/schema.ts'
import { COLLECTION, createAgent, putAgent } from '../../support/agents.ts'
import { type Person, useConsole } from '../../support/console.ts'
import { fromCsv } from '../../support/csv.ts'
import { until } from '../../support/until.ts'
import { makeVariedAgents, matches, SINGLES, toQuery } from '../../support/varied-agents.ts'

const EXPORT = `${COLLECTION}/export`

type Line = Agent & { format: string; revision: number }

describe('an export of agents', async () => {
  const running = await useConsole()
  const person = await running.person()
  const agents = await makeVariedAgents(running, person, 250)
  const otherTeam = await running.person()
  await createAgent(running, otherTeam, { agent_name: 'of another team' })

  const exportAs = async ({ token }: Person, query = '') => {
    const reply = await running.request('GET', `${EXPORT}?${query}`, { token })
    assert.equal(reply.status, 200, reply.text)
    return reply
  }
  const lines = (text: string): Line[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line)
  const ids = (found: { id: string }[]) => found.map(({ id }) => id)

  it('has the agents that match the filters, oldest first', async () => {
    for (const filter of SINGLES) {
      const { text } = await exportAs(person, toQuery(filter))
      assert.deepEqual(
        ids(lines(text)),
        ids(agents.filter((agent) => matches(agent, filter))),
        toQuery(filter),
      )
    }
  })

  it('has each agent as the list has it, with its format and revision', async () => {
    const { headers, text } = await exportAs(person)
    assert.equal(headers.get('content-type'), 'application/x-ndjson')
    assert.equal(headers.get('cache-control'), 'no-store')
    const path = `${COLLECTION}?sort=created_at&limit=500&include_scores=true`
    const { body } = await running.request('GET', path, { token: person.token })
    const expected = body.results.map((agent: Partial<Agent>, n: number) => {
      delete agent.api_key
      return { format: 'console-agent/1', revision: body.revisions[n], ...agent }
    })
    assert.deepEqual(lines(text), expected)
    assert.deepEqual(Object.keys(lines(text)[0] as Line), Object.keys(expected[0]))
  })

  it('has the same as CSV, and a reader gets the same values back', async () => {
    const { headers, text } = await exportAs(person, 'format=csv')
    assert.match(headers.get('content-type') ?? '', /^text\/csv/)
    assert.deepEqual(fromCsv(text), lines((await exportAs(person)).text))
  })

  it('has no cell that a spreadsheet takes for a formula, and loses none of the text', async () => {
    const own = await running.person()
    const texts = [
      ...['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', "'=1", "''", '＝1', '＋1', '－1', '＠1'],
      ...['a,b', 'say "=1"', 'line\r\nbreak', '', ' =1', '🜁', '"', '=cmd|"/c calc"!A1'],
    ]
    for (const text of texts) {
      await createAgent(running, own, {
        ...{ agent_name: text, model_name: text, hub: text, purpose: text, last_tested_by: text },
        ...{ agent_metadata: { tags: [text] }, evaluated_harnesses: [text], test_score: '-5.50' },
      })
    }
    const { text } = await exportAs(own, 'format=csv')
    for (const cell of cellsOf(text)) assert.doesNotMatch(cell, /^[=+@\t\r\n＝＋－＠]|^-(?!\d)/u, cell)
    assert.deepEqual(fromCsv(text), lines((await exportAs(own)).text))
    assert.deepEqual(
      fromCsv(text).map((agent) => (agent as Line).agent_name),
      texts,
    )
  })

  it('has no secret, not even its mask', async () => {
    const own = await running.person()
    const { id } = await createAgent(running, own, {
      api_key: 'sk-canary-0123456789',
      white_box_config: {
        repo_url: 'https://git.example',
        github_token: 'ghp_canary0123456789',
        other: 1e300,
      },
    })
    await createAgent(running, own, { white_box_config: { github_token: 'ghp_canary0123456789' } })
    await running.request('PUT', `${COLLECTION}/${id}/secrets/crm`, {
      token: own.token,
      json: { value: 'canary' },
    })
    await putAgent(running, own, id, { mcp_config: { headers: { authorization: { $secret: 'crm' } } } })
    for (const format of ['ndjson', 'csv']) {
      const { text } = await exportAs(own, `format=${format}`)
      assert.doesNotMatch(text, /canary|\*{8}|0123456789|6789|api_key|github_token/)
      assert.ok(text.includes('$secret'))
    }
    const [first, second] = lines((await exportAs(own)).text)
    assert.deepEqual(first?.white_box_config, { repo_url: 'https://git.example', other: 1e300 })
    assert.deepEqual(second?.white_box_config, {})
  })

  it('continues after any agent, without a second line of column names', async () => {
    const whole = lines((await exportAs(person)).text)
    const csv = (await exportAs(person, 'format=csv')).text
    for (const n of [0, 98, 99, 100, whole.length - 1]) {
      const cursor = whole[n]?.id as string
      assert.deepEqual(lines((await exportAs(person, `cursor=${cursor}`)).text), whole.slice(n + 1))
      const { text: rest, headers } = await exportAs(person, `format=csv&cursor=${cursor}`)
      assert.ok(csv.endsWith(rest))
      assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8; header=absent')
      assert.equal(cellsOf(rest).filter((cell) => cell === '"console-agent/1"').length, whole.length - n - 1)
    }
  })

  it('has nothing of another team, whatever the cursor', async () => {
    const [foreign] = lines((await exportAs(otherTeam)).text)
    assert.equal(foreign?.agent_name, 'of another team')
    for (const query of ['', `cursor=${agents[0]?.id}`]) {
      assert.ok(!(await exportAs(otherTeam, query)).text.includes(person.team))
    }
    assert.ok(!(await exportAs(person)).text.includes('another team'))
  })

  it('leaves a record with its format and the names of its filters', async () => {
    const own = await running.person()
    await exportAs(own, 'format=csv&q=secret+name&tags=x')
    const { body } = await running.request('GET', '/v1/audit-events', { token: own.token })
    assert.equal(body.results[0].action, 'agents_exported')
    assert.deepEqual(body.results[0].detail, { format: 'csv', filters: ['tags', 'q'] })
  })

  it('reads from the database only as fast as its client reads, and holds no place meanwhile', async () => {
    const own = await running.person()
    const agent_params = { unknown: 'x'.repeat(400_000) }
    const made: string[] = []
    for (let n = 0; n < 80; n++) {
      made.push((await createAgent(running, own, { agent_name: `${n}`, agent_params })).id)
    }
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { authorization: `Bearer ${own.token}` }
      httpRequest(`${running.url}${EXPORT}`, { headers }, resolve).on('error', reject).end()
    })
    let received = 0
    let unchanged = 0
    await until('the buffers are full and the export waits', () => {
      unchanged = response.socket.bytesRead === received ? unchanged + 1 : 0
      received = response.socket.bytesRead
      return unchanged === 20
    })
    await putAgent(running, own, made.at(-1) as string, { agent_name: 'read later' })
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) text += chunk
    assert.deepEqual(
      lines(text).map((agent) => agent.agent_name),
      [...made.keys()].map((n) => (n === 79 ? 'read later' : `${n}`)),
    )
  })
})

function cellsOf(csv: string): string[] {
  return csv.match(/"(?:[^"]|"")*"|[^,\r\n]+/g) ?? []
}
