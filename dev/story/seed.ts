import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { isTrusted } from '../../src/agent/lifecycle/lifecycle.ts'
import { moveAuditIntoThePast } from './audit-times.ts'
import { evaluationsOf, type Fleet, STORY_AGENTS, timeOf } from './fleet.ts'
import { NAMES, userOf } from './people.ts'
import { PEOPLE, type PersonKey, type StoryAgent } from './story.ts'

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
  for (const [agent, id] of made) await moveIntoThePast(seeding, agent, id)
  await moveAuditIntoThePast(
    seeding.database,
    team,
    made.map(([agent, id]) => ({ agentId: id, times: auditTimes(seeding, agent) })),
  )
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
  await database.query(
    `INSERT INTO users (team_id, user_id, name, changed_at)
     SELECT $1, id, name, $4 FROM unnest($2::uuid[], $3::text[]) AS person (id, name)
     ON CONFLICT DO NOTHING`,
    [team, people.map((key) => userOf({ team, user }, key)), people.map((key) => NAMES[key]), madeAt],
  )
}

function revisionTimes(madeAt: number, agent: StoryAgent): number[] {
  const revisions = agent.events.filter((event) => !('harness' in event))
  return [
    timeOf(madeAt, agent.createdDaysAgo, agent.key),
    ...revisions.map(({ daysAgo }, index) => timeOf(madeAt, daysAgo, `${agent.key}/${index}`)),
  ]
}

/** Of the creation, then of each event of the story. */
function auditTimes({ team, madeAt }: Seeding, agent: StoryAgent): number[] {
  const evaluated = evaluationsOf(team, madeAt, agent).map(({ completedAt }) => completedAt)
  const [createdAt = madeAt, ...changed] = revisionTimes(madeAt, agent)
  return [
    createdAt,
    ...agent.events.map((event) => ('harness' in event ? evaluated : changed).shift() ?? madeAt),
  ]
}

/** The API dates every change now. Here it is dated as the story has it. */
async function moveIntoThePast(
  { database, team, madeAt }: Seeding,
  agent: StoryAgent,
  id: string,
): Promise<void> {
  const revisions = agent.events.filter((event) => !('harness' in event))
  const times = revisionTimes(madeAt, agent)
  const trusted = revisions.findIndex((event) => 'stage' in event && isTrusted(event.stage as 'trusted'))
  const [createdAt = 0] = times
  const trustedAt = trusted === -1 ? null : (times[trusted + 1] ?? null)
  await database.query(
    `UPDATE agent_revisions r SET changed_at = at.time
     FROM unnest($3::bigint[]) WITH ORDINALITY AS at (time, revision)
     WHERE r.team_id = $1 AND r.agent_id = $2 AND r.revision = at.revision`,
    [team, id, times],
  )
  await database.query(
    `UPDATE agents SET created_at = $3, updated_at = $4, trusted_at = $5::bigint,
       ttt_days = round(($5::bigint - $3) / 86400.0, 2)
     WHERE team_id = $1 AND id = $2`,
    [team, id, createdAt, times.at(-1), trustedAt],
  )
}
