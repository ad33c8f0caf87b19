import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type Client, escapeIdentifier } from 'pg'
import { readTeamTables } from '../../scripts/move-team/tables.ts'
import { COLLECTION } from '../support/agents.ts'
import { until } from '../support/until.ts'
import type { Cell } from './move-team-scene.ts'

export const API_KEY = 'sk-move-0123456789abcdef'

export const send = (url: string, token: string, method: string, path: string, body?: object) =>
  fetch(`${url}${COLLECTION}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })

/** Leaves rows in tables beside agents and revisions. The last agent is deleted. */
export async function useFeatures(url: string, token: string, ids: string[]): Promise<void> {
  const [first = '', second = ''] = ids
  const gone = ids.pop()
  const evaluation = {
    evaluation_id: randomUUID(),
    overall_score: 0.5,
    completed_at: 1_790_000_000,
    revision: 1,
  }
  for (const [method, path, body] of [
    ['PUT', `/${first}`, { api_key: API_KEY, agent_url: 'https://agent.example/a' }],
    ['PUT', `/${first}/secrets/crm`, { value: 'a-secret-of-the-crm' }],
    ['PUT', `/${second}`, { delegated_agents: [{ url: 'https://agent.example/a' }] }],
    ['PUT', `/${second}/latest-evaluation`, evaluation],
    ['DELETE', `/${gone}`],
  ] as [string, string, object?][]) {
    const response = await send(url, token, method, path, body)
    assert.ok(response.ok, `${method} ${path}: ${await response.text()}`)
  }
}

export async function checkRows(
  source: Client,
  target: Client,
  team: string,
  otherTeam: string,
): Promise<void> {
  const count = async (sql: Client, table: string, of: string) => {
    const text = `SELECT count(*)::int AS count FROM ${escapeIdentifier(table)} WHERE team_id = $1`
    return ((await sql.query(text, [of])).rows[0] as { count: number }).count
  }
  for (const { name } of await readTeamTables(source)) {
    if (name !== 'audit_events') assert.equal(await count(source, name, team), 0, `${name} of the source`)
    assert.ok((await count(target, name, team)) > 0, `${name} of the target`)
    assert.equal(await count(target, name, otherTeam), 0, `${name} of another team`)
  }
}

/** Each agent has all its revisions, and those that were acknowledged are among them, once. */
export async function checkRevisions(
  sql: Client,
  team: string,
  acknowledged: Map<string, number[]>,
): Promise<void> {
  const { rows } = await sql.query<{ id: string; newest: number; count: number }>(
    `SELECT a.id, a.revision::int AS newest, count(r)::int FROM agents a
     JOIN agent_revisions r ON r.team_id = a.team_id AND r.agent_id = a.id
     WHERE a.team_id = $1 GROUP BY a.team_id, a.id`,
    [team],
  )
  const found = new Map(rows.map(({ id, ...figures }) => [id, figures]))
  for (const [id, revisions] of acknowledged) {
    const { newest = 0, count = 0 } = found.get(id) ?? {}
    assert.equal(count, newest, `revisions of ${id}`)
    assert.equal(new Set(revisions).size, revisions.length, `${id} has a revision twice`)
    assert.ok(newest >= Math.max(...revisions), `${id} has lost a revision`)
  }
}

/** The stream of the source has the first revisions of each agent, that of the target the others. */
export async function checkEvents(
  source: Cell,
  target: Cell,
  team: string,
  acknowledged: Map<string, number[]>,
): Promise<void> {
  for (const { sql } of [source, target])
    await until(
      'all is delivered',
      async () => (await sql.query('SELECT FROM outbox LIMIT 1')).rowCount === 0,
    )
  const events = [...(await source.nats.readAll()), ...(await target.nats.readAll())]
  const newest = new Map<string, number>()
  for (const { body } of events.filter(({ subject }) => subject.includes(team))) {
    const { agent_id: id, revision } = body.data
    assert.equal(revision, (newest.get(id) ?? 0) + 1, `the next event of ${id}`)
    newest.set(id, revision)
  }
  for (const [id, revisions] of acknowledged) assert.ok((newest.get(id) ?? 0) >= Math.max(...revisions))
}

/** A client that still calls the source must not begin a second history. */
export async function checkSourceIsClosed(url: string, token: string, id: string): Promise<void> {
  assert.equal((await send(url, token, 'GET', `/${id}`)).status, 404)
  const created = await send(url, token, 'POST', '', { agent_name: 'Agent', model_name: 'model' })
  assert.equal(created.status, 503, await created.text())
}
