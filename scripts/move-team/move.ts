import { setTimeout as sleep } from 'node:timers/promises'
import { firstIdAt } from '../../src/platform/id-time.ts'
import { checkMove } from './checks.ts'
import { type Comparison, compareTeam } from './compare.ts'
import { allowWrites, refusesWrites, stopWrites } from './fence.ts'
import { pollUntil } from './poll.ts'
import { removeAuditCopies, removeTeam } from './remove.ts'
import {
  type Databases,
  startReplication,
  stopReplication,
  waitForChanges,
  waitForCopy,
} from './replication.ts'
import { readTeamTables } from './tables.ts'

export interface Move extends Databases {
  team: string
  report: (line: string) => void
}

const COPY_TIMEOUT_MS = 24 * 3_600_000
const CHANGES_TIMEOUT_MS = 30_000
const COMPARE_ATTEMPTS = 5
const COMPARE_PAUSE_MS = 500

/** Copies the rows of a team while it is used. Changes go on to be copied. */
export async function copyTeam({ team, report, ...databases }: Move, sourceUrl: string): Promise<void> {
  const { source, target } = databases
  const tables = await readTeamTables(source)
  await checkMove(source, target, team, tables)
  report(`Copying ${tables.length} tables: ${tables.map(({ name }) => name).join(', ')}.`)
  await startReplication(databases, team, tables, sourceUrl).catch(async (error: unknown) => {
    await stopReplication(databases, team)
    throw error
  })
  await waitForCopy(databases, team, COPY_TIMEOUT_MS)
  report('All existing rows are copied. Changes are copied as they come. The next step is cut-over.')
}

/** Stops the writes of the team, waits for what is left, and compares. If anything is different or late, the team can write to
 * the source again. */
export async function cutOver({ team, report, ...databases }: Move): Promise<Comparison> {
  const { source, target } = databases
  const tables = await readTeamTables(source)
  await waitForCopy(databases, team, CHANGES_TIMEOUT_MS)
  await waitForChanges(databases, team, CHANGES_TIMEOUT_MS)
  try {
    await stopWrites(source, team, tables)
    report('The source refuses changes of the team.')
    await pollUntil('the delivery of the events of the team', CHANGES_TIMEOUT_MS, async () => {
      const { rowCount } = await source.query('SELECT FROM outbox WHERE team_id = $1 LIMIT 1', [team])
      return rowCount === 0
    })
    await waitForChanges(databases, team, CHANGES_TIMEOUT_MS)
    const comparison = await compareUntilSame(() => compareTeam(databases, team, tables))
    if (comparison.differences.length > 0) throw new Error(comparison.differences.join('\n'))
    // The team may have moved from here before.
    await allowWrites(target, team)
    report(
      `Both sides have the same ${comparison.rows} rows. Send the team to the target, then run the step finish.`,
    )
    report(`For audit:verify at the target, keep --moved ${team}:${firstIdAt(Date.now())}`)
    return comparison
  } catch (error) {
    await allowWrites(source, team)
    report('The source accepts changes of the team again.')
    throw error
  }
}

/** Audit events of refused requests and the erasures of maintenance go on. */
async function compareUntilSame(compare: () => Promise<Comparison>): Promise<Comparison> {
  for (let attempt = 1; ; attempt++) {
    const comparison = await compare()
    if (comparison.differences.length === 0 || attempt === COMPARE_ATTEMPTS) return comparison
    await sleep(COMPARE_PAUSE_MS)
  }
}

/** Ends the copying and removes the rows of the team from the source, which goes on to refuse its changes. Its audit events stay:
 * the seals of the source cover them. */
export async function finishMove({ team, report, ...databases }: Move): Promise<void> {
  const { source } = databases
  const tables = await readTeamTables(source)
  if (!(await refusesWrites(source, team)))
    throw new Error('The source accepts changes of the team: run the step cut-over first.')
  await stopReplication(databases, team)
  const removed = await removeTeam(source, team, tables)
  report(`Removed ${removed} rows from the source. Its audit events of the team stay.`)
}

/** Ends the copying and removes the copies. Only before the team writes to the target. */
export async function cancelMove({ team, report, ...databases }: Move): Promise<void> {
  const { source, target } = databases
  await stopReplication(databases, team)
  await allowWrites(source, team)
  const tables = await readTeamTables(target)
  const removed = await removeTeam(target, team, tables)
  await removeAuditCopies(target, team)
  report(
    `Removed ${removed} rows and the audit events of the team from the target. The source accepts changes.`,
  )
}
