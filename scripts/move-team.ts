import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { parseUuid } from '../src/contract/uuid.ts'
import { cancelMove, copyTeam, cutOver, finishMove, type Move } from './move-team/move.ts'
import { explainDatabaseError, orExit, readSetting } from './options.ts'

const HELP = `npm run move-team -- STEP --team TEAM

Moves a team from one database to another while it is used. Needs SOURCE_DATABASE_URL and
TARGET_DATABASE_URL of superusers, wal_level = logical at the source, and the same schema at both.
docs/scale.md describes what else has to be done, and when.

  copy        copies the rows, and goes on to copy what changes; REPLICATION_URL says how the
              target reaches the source if not by SOURCE_DATABASE_URL
  cut-over    stops the writes of the team, waits for the rest, and compares both sides
  finish      after the team uses the target: removes its rows from the source
  cancel      before the team uses the target: removes the copy
`

const STEPS: Record<string, (move: Move, sourceUrl: string) => Promise<unknown>> = {
  copy: copyTeam,
  'cut-over': cutOver,
  finish: finishMove,
  cancel: cancelMove,
}

function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { team: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) {
    process.stdout.write(HELP)
    process.exit(0)
  }
  const [step = ''] = positionals
  const run = Object.hasOwn(STEPS, step) ? STEPS[step] : undefined
  if (!run || positionals.length !== 1) throw new Error(`Name one step: ${Object.keys(STEPS).join(', ')}`)
  const team = parseUuid(values.team ?? '')
  if (!team.ok) throw new Error('--team must be the UUID of a team')
  return { run, team: team.uuid }
}

function readUrl(name: string): string {
  const url = readSetting(name)
  if (url === '') throw new Error(`${name} is missing: postgres://user:password@host:5432/database`)
  return url
}

const { run, team } = orExit(readOptions)
const sourceUrl = orExit(() => readUrl('SOURCE_DATABASE_URL'))
const targetUrl = orExit(() => readUrl('TARGET_DATABASE_URL'))
const [source, target] = [sourceUrl, targetUrl].map(
  (connectionString) => new Client({ connectionString, application_name: 'agent-console move-team' }),
) as [Client, Client]
try {
  await Promise.all([source.connect(), target.connect()])
  const report = (line: string) => void process.stdout.write(`${line}\n`)
  await run({ team, source, target, report }, readSetting('REPLICATION_URL') || sourceUrl)
} catch (error) {
  process.stderr.write(`${explainDatabaseError(error as Error)}\n`)
  process.exitCode = 1
} finally {
  await Promise.all([source.end(), target.end()])
}
