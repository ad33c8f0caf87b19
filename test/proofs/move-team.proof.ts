import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { MAINTENANCE_NAME } from '../../src/maintenance/leader.ts'
import { startProcess } from '../acceptance/processes.ts'
import { until } from '../support/until.ts'
import { createAgents } from './delivery-writers.ts'
import {
  API_KEY,
  checkEvents,
  checkRevisions,
  checkRows,
  checkSourceIsClosed,
  send,
  useFeatures,
} from './move-team-checks.ts'
import { startTeamClients } from './move-team-clients.ts'
import { fillForTeam, startCells } from './move-team-scene.ts'

/** Few in CI; `npm run proof:move-team` makes more updates before, during and after the move. */
const UPDATES = Number(process.env['MOVE_UPDATES'] ?? 100)
const AGENTS = 60
const CLIENTS = 4
const PATIENCE_MS = 600_000

/** A row that only the target has. */
const EXTRA_KEY = `
INSERT INTO card_keys SELECT team_id, 'extra', algorithm, public_key, origins, updated_at, updated_by
FROM card_keys WHERE team_id = $1`

/** As maintenance erases what has expired. The target must keep it. */
const ERASE_AT_THE_SOURCE = `
BEGIN; SET LOCAL application_name = '${MAINTENANCE_NAME}'; DELETE FROM idempotency_keys; COMMIT`

describe('a team that moves to another database while it is used', () => {
  it('has every row and every acknowledged change there, and disturbs no other team', async (t) => {
    await using stack = new AsyncDisposableStack()
    const [source, target] = await startCells(stack)
    const { running } = source
    const [team, otherTeam] = [randomUUID(), randomUUID()]
    const scope = 'agent:read agent:write agent:secret agent:delete evaluation:write'
    const [token, otherToken] = [
      await running.token({ team, scope }),
      await running.token({ team: otherTeam }),
    ]
    const create = (own: string) =>
      createAgents({ url: running.url, token: own, writers: 4, isUp: async () => {} }, AGENTS)
    const [ids, otherIds] = [await create(token), await create(otherToken)]
    await useFeatures(running.url, token, ids)
    const added = await fillForTeam(source.sql, team)

    let home = { url: running.url, isFirst: true }
    const clients = startTeamClients({ token, ids, clients: CLIENTS, home: () => home })
    const others = startTeamClients({
      ...{ token: otherToken, ids: otherIds, clients: 2 },
      home: () => ({ url: running.url, isFirst: true }),
    })
    stack.defer(async () => void (await Promise.all([clients.stop(), others.stop()])))
    const moreUpdates = async () => {
      const enough = clients.updates() + UPDATES
      const isEnough = () => clients.updates() >= enough || clients.faults.length > 0
      await until(`${UPDATES} more updates are made`, isEnough, PATIENCE_MS)
    }
    const step = async (name: string, expected = 0, [from, to] = [source, target]) => {
      const environment = {
        SOURCE_DATABASE_URL: from.postgres.url,
        TARGET_DATABASE_URL: to.postgres.url,
      }
      const command = startProcess('scripts/move-team.ts', environment, name, '--team', team)
      assert.equal(await command.ended, expected, command.output())
      t.diagnostic(command.output().trim())
      return command.output()
    }

    assert.match(await step('cancel', 1), /The source does not move this team/)
    await step('copy')
    assert.match(await step('copy', 1), /The copy has begun already/)
    assert.match(await step('cancel', 1, [target, source]), /The source does not move this team/)
    assert.match(await step('cancel', 1, [source, source]), /but TARGET_DATABASE_URL is/)
    assert.match(await step('finish', 1), /run the step cut-over first/)
    await step('cancel')
    const beforeCopy = clients.updates()
    await step('copy')
    const duringCopy = clients.updates() - beforeCopy
    await moreUpdates()
    await target.sql.query(EXTRA_KEY, [team])
    assert.match(await step('cut-over', 1), /card_keys: 1 rows in the source, 2 in the target/)
    await moreUpdates()
    await target.sql.query("DELETE FROM card_keys WHERE kid = 'extra'")
    const cutOverAt = performance.now()
    await step('cut-over')
    await source.sql.query(ERASE_AT_THE_SOURCE)
    assert.match(await step('cut-over'), /The cut-over is done already/)
    home = { url: target.running.url, isFirst: false }
    await moreUpdates()
    assert.match(await step('cancel', 1), /The team has used the target: run the step finish/)
    await moreUpdates()
    await step('finish')
    await moreUpdates()
    await Promise.all([clients.stop(), others.stop()])

    if (clients.faults.length > 0) t.diagnostic(source.running.output())
    assert.deepEqual(clients.faults, [])
    assert.deepEqual([others.faults, others.refusedAt], [[], []])
    await checkRows(source.sql, target.sql, team, otherTeam)
    await checkRevisions(target.sql, team, clients.acknowledged)
    await checkEvents(source, target, team, clients.acknowledged)
    await checkSourceIsClosed(running.url, token, ids[1] as string)
    const secrets = await send(target.running.url, token, 'GET', `/${ids[0]}/secrets`)
    assert.equal(((await secrets.json()) as { api_key: string }).api_key, API_KEY)
    const stoppedMs =
      (clients.servedAgainAt() ?? 0) - Math.min(...clients.refusedAt.filter((at) => at > cutOverAt))
    t.diagnostic(
      `${clients.updates()} updates of the team, ${duringCopy} of them during the copy, and ${others.updates()} of another one; ` +
        `sample rows in ${added} tables; its updates were refused for ${Math.round(stoppedMs)} ms, reads and the other team never`,
    )
  })
})
