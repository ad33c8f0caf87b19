import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { isTrusted } from '../../src/agent/lifecycle/lifecycle.ts'
import { unnamed } from '../../src/platform/postgres/sql.ts'
import { evaluationsOf, type Fleet, STORY_AGENTS, timeOf, userOf } from './fleet.ts'
import { NAMES, PEOPLE, type PersonKey, type StoryAgent } from './story.ts'

export interface Seeding {
  apiUrl: string
  team: string
  user: string
  /** A token of a user of the team. */
  tokenOf: (user: string) => Promise<string>
  database: Client
  /** Unix seconds: the days of the story are counted back from here. */
  madeAt: number
  check: () => void
}

const MAX_ATTEMPTS = 10

/** Makes the fleet, through the API like any client, and moves its history into the past. What an interrupted seeding
 * has made is found again: by the Idempotency-Key of the creation and by the revision that each change expects. */
export async function seedFleet(seeding: Seeding): Promise<Fleet> {
  const { team, user, madeAt } = seeding
  const people = Object.keys(PEOPLE) as PersonKey[]
  const tokens = await Promise.all(
    people.map(async (key) => [key, await seeding.tokenOf(userOf({ team, user }, key))] as const),
  )
  const send = createClient(seeding, Object.fromEntries(tokens) as Record<PersonKey, string>)
  const made = await Promise.all(
    STORY_AGENTS.map(async (agent) => [agent, await makeAgent(agent, send, seeding)] as const),
  )
  await moveIntoThePast(seeding, made)
  await storeNames(seeding)
  return { team, user, madeAt, ids: Object.fromEntries(made.map(([{ key }, id]) => [key, id])) }
}

type Send = (
  by: PersonKey,
  method: string,
  path: string,
  body?: object,
  headers?: object,
) => Promise<Response>

function createClient({ apiUrl, check }: Seeding, tokens: Record<PersonKey, string>): Send {
  return async (by, method, path, body, headers = {}) => {
    check()
    const response = await fetchPatiently(`${apiUrl}/v1/agent-configurations${path}`, {
      method,
      headers: { authorization: `Bearer ${tokens[by]}`, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok)
      throw new Error(`The fleet could not be made: ${response.status} ${await response.text()}`)
    return response
  }
}

/** Tries again when the console says so: on a busy machine it refuses requests. */
export async function fetchPatiently(url: string, request: RequestInit): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url, request)
    const retryAfter = response.headers.get('retry-after')
    if (retryAfter === null || attempt === MAX_ATTEMPTS) return response
    await delay(Number(retryAfter) * 1_000)
  }
}

async function makeAgent(agent: StoryAgent, send: Send, seeding: Seeding): Promise<string> {
  const { team, madeAt } = seeding
  const created = await send(agent.owner, 'POST', '', agent.body, { 'idempotency-key': `story-${agent.key}` })
  const { id } = (await created.json()) as { id: string }
  const read = await send(agent.owner, 'GET', `/${id}`)
  const already = Number(/\d+/.exec(read.headers.get('etag') ?? '')?.[0])
  const evaluations = evaluationsOf(team, madeAt, agent)
  let revision = 1
  for (const event of agent.events) {
    if ('harness' in event) {
      const { id: evaluationId, scores, completedAt } = evaluations.shift() as (typeof evaluations)[number]
      await send(agent.owner, 'PUT', `/${id}/latest-evaluation`, {
        evaluation_id: evaluationId,
        ...Object.fromEntries(Object.entries(scores).map(([name, score]) => [`${name}_score`, score])),
        completed_at: completedAt,
        revision,
      })
      continue
    }
    revision += 1
    if (revision <= already) continue
    if ('stage' in event) {
      await send(event.by, 'PUT', `/${id}/lifecycle`, { trust_stage: event.stage, reason: event.reason })
    } else {
      await send(event.by, 'PUT', `/${id}`, event.change, { 'if-match': `"${revision - 1}"` })
    }
  }
  return id
}

/** The console learns names from tokens, and the tokens of the seeding have none. */
async function storeNames({ database, team, user, madeAt }: Seeding): Promise<void> {
  const people = Object.keys(NAMES) as PersonKey[]
  const ids = people.map((key) => userOf({ team, user }, key))
  const names = people.map((key) => NAMES[key])
  await database.query(unnamed`
    INSERT INTO users (team_id, user_id, name, changed_at)
    SELECT ${team}, id, name, ${madeAt} FROM unnest(${ids}::uuid[], ${names}::text[]) AS person (id, name)
    ON CONFLICT DO NOTHING`)
}

/** The API dates every change and every audit event now. Here they get the dates of the story. Only in a demonstration may
 * the audit log be changed. */
async function moveIntoThePast(seeding: Seeding, made: readonly (readonly [StoryAgent, string])[]) {
  const { database } = seeding
  await database.query('BEGIN; ALTER TABLE ONLY audit_events DISABLE TRIGGER audit_events_append_only')
  try {
    for (const [agent, id] of made) await dateAgent(seeding, agent, id)
    await database.query(
      'ALTER TABLE ONLY audit_events ENABLE ALWAYS TRIGGER audit_events_append_only; COMMIT',
    )
  } catch (error) {
    await database.query('ROLLBACK')
    throw error
  }
}

async function dateAgent({ database, team, madeAt }: Seeding, agent: StoryAgent, id: string): Promise<void> {
  const { events } = agent
  const revisions = events.filter((event) => !('harness' in event))
  const createdAt = timeOf(madeAt, agent.createdDaysAgo, agent.key)
  const changedAt = revisions.map(({ daysAgo }, index) => timeOf(madeAt, daysAgo, `${agent.key}/${index}`))
  const evaluatedAt = evaluationsOf(team, madeAt, agent).map(({ completedAt }) => completedAt)
  const trustedAt =
    changedAt[revisions.findIndex((event) => 'stage' in event && isTrusted(event.stage as 'trusted'))] ?? null
  await database.query(unnamed`
    UPDATE agents SET created_at = ${createdAt}, updated_at = ${changedAt.at(-1) ?? createdAt},
      trusted_at = ${trustedAt}, ttt_days = round((${trustedAt}::bigint - ${createdAt}) / 86400.0, 2)
    WHERE team_id = ${team} AND id = ${id}`)
  await database.query(unnamed`
    UPDATE agent_revisions r SET changed_at = at.time
    FROM unnest(${[createdAt, ...changedAt]}::bigint[]) WITH ORDINALITY AS at (time, revision)
    WHERE r.team_id = ${team} AND r.agent_id = ${id} AND r.revision = at.revision`)
  const [changes, evaluations] = [changedAt.values(), evaluatedAt.values()]
  const times = events.map((event) => ('harness' in event ? evaluations : changes).next().value ?? madeAt)
  // The ids of audit events contain the time, too.
  await database.query(unnamed`
    UPDATE audit_events e SET at = told.at,
      id = (lpad(to_hex(told.at * 1000), 12, '0') || right(replace(e.id::text, '-', ''), 20))::uuid
    FROM (
      SELECT id, row_number() OVER (ORDER BY id) AS number FROM audit_events
      WHERE team_id = ${team} AND agent_id = ${id}
    ) o
    JOIN unnest(${[createdAt, ...times]}::bigint[]) WITH ORDINALITY AS told (at, number) USING (number)
    WHERE e.team_id = ${team} AND e.id = o.id`)
}
