import { setTimeout as sleep } from 'node:timers/promises'
import { firstIdAt } from '../../src/platform/id-time.ts'
import { checkMove } from './checks.ts'
import { type Comparison, compareTeam, findOwnChanges } from './compare.ts'
import { allowWrites, stopWrites } from './fence.ts'
import { pollUntil } from './poll.ts'
import { removeAuditCopies, removeTeam } from './remove.ts'
import {
  type Databases,
  dropPublication,
  dropSubscription,
  endCutOver,
  startReplication,
  waitForChanges,
  waitForCopy,
} from './replication.ts'
import { findState, readState, setState } from './state.ts'
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
  if (await findState(source, team))
    throw new Error('The copy has begun already, and goes on by itself: run the step cut-over, or cancel.')
  const tables = await readTeamTables(source)
  await checkMove(source, target, team, tables)
  report(`Copying ${tables.length} tables: ${tables.map(({ name }) => name).join(', ')}.`)
  await startReplication(databases, team, tables, sourceUrl).catch(async (error: unknown) => {
    await dropSubscription(target, team)
    await dropPublication(source, team)
    throw error
  })
  await waitForCopy(databases, team, COPY_TIMEOUT_MS)
  report('All existing rows are copied. Changes are copied as they come. The next step is cut-over.')
}

/** Stops the writes of the team, waits for what is left, and compares. If anything is different or late, the team can write to
 * the source again. After a success it changes nothing more: the team may write to the target by then. */
export async function cutOver({ team, report, ...databases }: Move): Promise<void> {
  const { source, target } = databases
  const { cutOverId: done, isCancelled } = await readState(databases, team)
  if (isCancelled) throw new Error('The move is being cancelled: run the step cancel again.')
  if (done !== undefined) {
    // A cancel that was interrupted has stopped them.
    await allowWrites(target, team)
    return report(`The cut-over is done already. ${nextStep(team, done)}`)
  }
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
    const { rows, differences } = await compareUntilSame(() => compareTeam(databases, team, tables))
    if (differences.length > 0) throw new Error(differences.join('\n'))
    // The team may have moved from here before.
    await allowWrites(target, team)
    const cutOverId = firstIdAt(Date.now())
    await endCutOver(databases, team, cutOverId)
    report(`Both sides have the same ${rows} rows. ${nextStep(team, cutOverId)}`)
  } catch (error) {
    await allowWrites(source, team).then(
      () => report('The source accepts changes of the team again.'),
      () => report('The source still refuses changes of the team: run the step cut-over again, or cancel.'),
    )
    throw error
  }
}

const nextStep = (team: string, cutOverId: string) =>
  'Send the team to the target, then run the step finish.\n' +
  `For audit:verify at the target, keep --moved ${team}:${cutOverId}`

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
  const { source, target } = databases
  const { cutOverId, isCancelled } = await readState(databases, team)
  if (cutOverId === undefined || isCancelled)
    throw new Error('The team is still at the source: run the step cut-over first.')
  const tables = await readTeamTables(source)
  // A cancel that was interrupted has stopped them.
  await allowWrites(target, team)
  await dropSubscription(target, team)
  const removed = await removeTeam(source, team, tables)
  await dropPublication(source, team)
  report(`Removed ${removed} rows from the source. Its audit events of the team stay.`)
}

/** Ends the copying and removes the copies. Only before the team changes something at the target, which goes on to refuse its
 * changes if the cut-over had allowed them. */
export async function cancelMove({ team, report, ...databases }: Move): Promise<void> {
  const { source, target } = databases
  const state = await readState(databases, team)
  const tables = await readTeamTables(target)
  if (state.cutOverId !== undefined && !state.isCancelled) {
    // First: a change that the target accepts after the comparison would be removed with the copies.
    await stopWrites(target, team, tables)
    try {
      const changes = await findOwnChanges(databases, team, tables, state.cutOverId)
      if (changes.length > 0)
        throw new Error(`The team has used the target: run the step finish.\n${changes.join('\n')}`)
    } catch (error) {
      await allowWrites(target, team)
      throw error
    }
  }
  await source.query(setState(team, { ...state, isCancelled: true }))
  await dropSubscription(target, team)
  await allowWrites(source, team)
  const removed = await removeTeam(target, team, tables)
  await removeAuditCopies(target, team)
  await dropPublication(source, team)
  report(
    `Removed ${removed} rows and the audit events of the team from the target. The source accepts changes.`,
  )
}
