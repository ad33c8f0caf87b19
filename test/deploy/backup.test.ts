import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { unprivileged } from '../../dev/postgres-programs.ts'
import { migrate } from '../../scripts/migrate.ts'
import { seed } from '../../scripts/seed.ts'
import { archived } from '../support/pgbackrest.ts'
import { startPrivatePostgres } from '../support/private-postgres.ts'

const run = promisify(execFile)
const page = readFileSync(join(import.meta.dirname, '../../docs/backup.md'), 'utf8')

/** The blocks of a section of the page, in its order. */
function readBlocks(heading: string, language: string): string[] {
  const [, section = ''] = page.split(`\n${heading}\n`)
  const [text = ''] = section.split(/\n##+ /)
  return [...text.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, block = '']) => block)
}

it('the commands of docs/backup.md back up, archive and restore every change', async () => {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'console-backup-'))
  stack.defer(() => rm(folder, { recursive: true }))
  const as = unprivileged(folder)
  // Where the page has the paths of a real server. pgBackRest reads its options from the environment, too.
  const configuration = join(folder, 'pgbackrest.conf')
  process.env['PGBACKREST_CONFIG'] = configuration
  process.env['PGBACKREST_LOCK_PATH'] = join(folder, 'lock')
  process.env['PGBACKREST_LOG_LEVEL_FILE'] = 'off'
  stack.defer(() => {
    for (const name of ['CONFIG', 'LOCK_PATH', 'LOG_LEVEL_FILE']) delete process.env[`PGBACKREST_${name}`]
  })
  const postgres = await startPrivatePostgres({ settings: ['archive_mode=on'] })
  stack.defer(() => postgres.remove())
  const drill = join(folder, 'drill')
  const here = (text: string) =>
    text
      .replaceAll('/var/lib/pgbackrest', join(folder, 'repository'))
      .replaceAll('/var/lib/postgresql/15/main', join(postgres.folder, 'data'))
      .replaceAll('/usr/lib/postgresql/15/bin', postgres.bin)
      .replaceAll('/srv/drill', drill)
      .replaceAll('cipher-pass=…', 'cipher-pass=passphrase')
  const shell = async (commands: string | undefined) => {
    const [command, ...words] = [...as, 'bash', '-euc', here(commands ?? '')]
    return run(command, words, { cwd: folder })
  }

  const [ini] = readBlocks('## Base backup and WAL archive', 'ini')
  const server = `pg1-port=${new URL(postgres.url).port}\npg1-socket-path=${postgres.folder}\n`
  await writeFile(configuration, here(ini ?? '') + server, { mode: 0o644 })
  const client = await connect(stack, postgres.url)
  await client.query('CREATE DATABASE console')
  const url = postgres.url.replace(/postgres$/, 'console')
  await migrate(url, () => {})
  await seed(url, { agents: 200, seed: 1 }, () => {})
  const [settings = ''] = readBlocks('## Base backup and WAL archive', 'sql')
  for (const statement of settings.split('\n').filter((line) => line !== '')) await client.query(statement)
  await client.query('SELECT pg_reload_conf()')

  const [backUp] = readBlocks('## Base backup and WAL archive', 'sh')
  const { stdout: backups } = await shell(backUp)
  assert.match(backups, /full backup: .* incr backup: /s)
  const production = await connect(stack, url)
  await production.query("UPDATE agents SET purpose = 'after the backup'")
  await archived(postgres)

  const [restore, remove] = readBlocks('## Restore drill', 'sh')
  stack.defer(async () => {
    if (existsSync(drill)) await shell(remove)
  })
  await shell(restore)
  const copy = await connect(stack, `postgres://postgres@localhost:5432/console?host=${drill}`)
  const [check = '', ...others] = readBlocks('## Restore drill', 'sql')
  assert.deepEqual(others, [])
  const [counts, gaps] = (await copy.query(check)) as unknown as { rows: { agents: string }[] }[]
  assert.equal(counts?.rows[0]?.agents, '200')
  assert.deepEqual(gaps?.rows, [])
  const { rows } = await copy.query("SELECT FROM agents WHERE purpose = 'after the backup'")
  assert.equal(rows.length, 200)
  const { rows: modes } = await copy.query('SHOW archive_mode')
  assert.deepEqual(modes, [{ archive_mode: 'off' }])
  await copy.query('DELETE FROM agent_revisions WHERE agent_id = (SELECT id FROM agents LIMIT 1)')
  const [, found] = (await copy.query(check)) as unknown as { rows: unknown[] }[]
  assert.equal(found?.rows.length, 1)
  await shell(remove)
  assert.equal(existsSync(drill), false)
})

async function connect(stack: AsyncDisposableStack, url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  // The server may stop first.
  client.on('error', () => {})
  await client.connect()
  stack.defer(() => client.end())
  return client
}
