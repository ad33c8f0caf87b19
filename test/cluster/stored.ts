import { onServer } from '../support/on-server.ts'
import { until } from '../support/until.ts'
import type { Stored } from './check.ts'
import type { StoredRevision } from './history.ts'
import type { Scene } from './scene.ts'

const DELIVERY_MS = 180_000

interface Row {
  agent: string
  revision: number
  /** Before the change, in a revision; now, in an agent. */
  key: string | null
  counter: number | null
}

/** What the database and the stream have when everything is delivered. */
export async function readStored({ databaseUrl, nats }: Scene, team: string): Promise<Stored> {
  const { agents, revisions } = await onServer(databaseUrl, async (database) => {
    const read = async (text: string) => (await database.query<Row>(text)).rows
    await until(
      'everything is delivered',
      async () => (await read('SELECT FROM outbox LIMIT 1')).length === 0,
      DELIVERY_MS,
    )
    return { agents: await read(AGENTS), revisions: await read(REVISIONS) }
  })
  await nats.reconnected()
  return {
    revisions: valuesAfter(revisions, agents),
    current: new Map(agents.map(({ agent, revision }) => [agent, revision])),
    events: await nats.readAll(),
    ...{ team, subjectPrefix: nats.subjectPrefix },
  }
}

/** The value before the next revision is the value after this one. */
function valuesAfter(revisions: Row[], agents: Row[]): StoredRevision[] {
  const current = new Map(agents.map((row) => [row.agent, row]))
  return revisions.map(({ agent, revision }, index) => {
    const next = revisions[index + 1]
    const after = next?.agent === agent ? next : current.get(agent)
    return { agent, revision, key: after?.key ?? '', counter: after?.counter ?? 0 }
  })
}

const AGENTS = `
SELECT id AS agent, revision::integer, purpose AS key, rate_limit_requests_per_minute AS counter FROM agents`

const REVISIONS = `
SELECT agent_id AS agent, revision::integer, before->>'purpose' AS key,
  (before->>'rate_limit_requests_per_minute')::integer AS counter
FROM agent_revisions ORDER BY agent_id, revision`
