import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Verification, type VerifyOptions, verifyAudit } from '../src/audit/seals/verify.ts'
import { readAuditConfig } from '../src/config/maintenance.ts'
import { parseUuid } from '../src/contract/uuid.ts'
import type { Statements } from '../src/platform/database/database.ts'
import { createPool } from '../src/platform/database/pool.ts'
import { timeOf } from '../src/platform/id-time.ts'
import { createLog } from '../src/platform/observe/log.ts'
import { createSigner, parsePublicKeys } from '../src/platform/secrets/signer.ts'
import { parseInteger } from '../src/platform/settings/parsers.ts'
import { explainDatabaseError, readOption } from './options.ts'

const HELP = `npm run audit:verify -- [--keys FILE] [--known SEAL:HASH]... [--moved TEAM:ID]...
                        [--retention-months N]

Compares the audit log with its seals, and prints what was changed, removed or added since.
Needs DATABASE_URL, and AUDIT_SIGNING_KEY unless --keys names a file.

  --keys FILE             public keys in PEM (openssl pkey -pubout); the private key is not needed
  --known SEAL:HASH       a seal that you have kept elsewhere: the log of the console has them all
  --moved TEAM:ID         a team that npm run move-team brought here, as its step cut-over prints;
                          the database that it came from has the seals of the records before
  --retention-months N    how many months are kept; AUDIT_RETENTION_MONTHS by default

The exit code is 1 if something was found, and 2 if the audit log could not be checked, for example
because it has no seal.
`

const options = {
  keys: { type: 'string' },
  known: { type: 'string', multiple: true },
  moved: { type: 'string', multiple: true },
  'retention-months': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

async function main(): Promise<number> {
  const { values } = parseArgs({ options })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const config = readAuditConfig(process.env)
  const months = values['retention-months']
  const keys = readKeys(values.keys, config.auditSigningKeys)
  const pool = createPool(
    {
      connectionString: config.databaseUrl,
      application_name: 'agent-console audit:verify',
      ...{ max: 1, statement_timeout: 0, query_timeout: 0 },
    },
    createLog('silent'),
  )
  const send: Statements['read'] = async ({ text, values: parameters }) =>
    (await pool.query(text, parameters)).rows as never
  try {
    const verification = await verifyAudit(
      { read: send, write: send },
      {
        keys,
        retentionMonths:
          months === undefined
            ? config.auditRetentionMonths
            : readOption('--retention-months', () => parseInteger(months, 0, 1_200)),
        nowMs: Date.now(),
        known: readOption('--known', () => new Map((values.known ?? []).map(parseKnown))),
        moved: readOption('--moved', () => new Map((values.moved ?? []).map(parseMoved))),
      },
    )
    process.stdout.write(`${format(verification)}\n`)
    return exitCodeOf(verification)
  } finally {
    await pool.end()
  }
}

function readKeys(
  file: string | undefined,
  signingKeys: Parameters<typeof createSigner>[0],
): VerifyOptions['keys'] {
  if (file !== undefined) {
    return readOption('--keys', () => parsePublicKeys(readFileSync(file, 'utf8')))
  }
  if (signingKeys.length === 0)
    throw new Error('AUDIT_SIGNING_KEY is missing: set it, or name public keys by --keys')
  return createSigner(signingKeys).publicKeys
}

function parseKnown(text: string): [number, string] {
  const [, number, hash = ''] = /^(\d+):([\w-]{43})$/.exec(text) ?? []
  if (number === undefined) throw new Error('must be the number of a seal, a colon and its hash')
  return [Number(number), hash]
}

function parseMoved(text: string): [string, string] {
  const [team, id] = text.split(':').map(parseUuid)
  if (!team?.ok || !id?.ok) throw new Error('must be the id of a team, a colon and an id')
  return [team.uuid, id.uuid]
}

const UNCHANGED = 'Nothing was changed, removed or added.'
const NO_SEAL =
  'There is no seal to compare with: the audit log is new, or all of it was removed. Name a seal by --known.'

function exitCodeOf({ findingCount, lastSeal }: Verification): number {
  if (findingCount > 0) return 1
  return lastSeal ? 0 : 2
}

function format({ findings, findingCount, lastSeal, ...figures }: Verification): string {
  const { records, checkpoints, seals, expiredSeals } = figures
  return [
    `${records} records, ${checkpoints} checkpoints and ${seals} seals were checked` +
      (expiredSeals > 0 ? `; the records of ${expiredSeals} seals are dropped by the retention.` : '.'),
    ...(lastSeal
      ? [
          `Sealed up to ${new Date(timeOf(lastSeal.end)).toISOString()}. To prove later that no seal was replaced, keep`,
          `  --known ${lastSeal.number}:${lastSeal.hash}`,
        ]
      : []),
    ...findings.map((finding) => `FOUND: ${finding}`),
    ...(findingCount > findings.length ? [`FOUND: ${findingCount - findings.length} more.`] : []),
    findingCount > 0 ? `${findingCount} findings.` : lastSeal ? UNCHANGED : NO_SEAL,
  ].join('\n')
}

try {
  process.exitCode = await main()
} catch (error) {
  process.stderr.write(`The audit log was not checked: ${explainDatabaseError(error as Error)}\n`)
  process.exitCode = 2
}
