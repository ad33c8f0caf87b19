import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { parseKeyring } from '../../src/platform/secrets/keyring.ts'
import type { KeyringEntry } from '../../src/platform/secrets/secrets.ts'
import {
  createSigner,
  parsePublicKeys,
  parseSigningKeys,
  type Signer,
} from '../../src/platform/secrets/signer.ts'
import { parseInteger } from '../../src/platform/settings/parsers.ts'
import { readOption, readSetting } from '../options.ts'

export const HELP = `npm run drill:restore -- [--stanza console] [--config FILE] [--folder FOLDER] [--time TIME]
    [--database console] [--user postgres] [--sample 1000] [--keys FILE]

Restores the newest backup of a pgBackRest repository into a private folder, starts PostgreSQL
there, checks the database, prints the time of each step, and removes everything. It reads the
repository, and changes neither it nor any other PostgreSQL. Run it as root or as the user postgres.

  --stanza NAME     of pgBackRest
  --config FILE     of pgBackRest; /etc/pgbackrest.conf by default
  --folder FOLDER   has room for the whole database, and postgres may enter it; /tmp by default
  --time TIME       restore to this time, such as '2026-11-15 15:59:50.123+00'; the newest by default
  --database NAME   of the console in that cluster
  --user NAME       a superuser of that cluster
  --sample N        of how many agents the revisions are checked, 1 to 1000000
  --keys FILE       public keys of the audit log in PEM, instead of AUDIT_SIGNING_KEY

SECRETS_KEYS, AUDIT_SIGNING_KEY and AUDIT_RETENTION_MONTHS are those of the console. What needs a
key that is not given is not checked. The exit code is 1 if there is a problem.
`

export interface DrillOptions {
  stanza: string
  /** Undefined: the one that pgBackRest finds. */
  config: string | undefined
  folder: string
  /** Undefined: the end of the archive. */
  time: string | undefined
  database: string
  user: string
  sample: number
  /** Empty: secrets are not checked. */
  secretsKeys: KeyringEntry[]
  /** Undefined: the seals of the audit log are not checked. */
  auditKeys: Signer['publicKeys'] | undefined
  auditRetentionMonths: number
}

/** Throws a sentence for a mistake in the options. */
export function readDrillOptions(): DrillOptions | 'help' {
  const { values } = parseArgs({
    options: {
      stanza: { type: 'string', default: 'console' },
      config: { type: 'string' },
      folder: { type: 'string', default: tmpdir() },
      time: { type: 'string' },
      database: { type: 'string', default: 'console' },
      user: { type: 'string', default: 'postgres' },
      sample: { type: 'string', default: '1000' },
      keys: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return 'help'
  const { stanza, config, folder, time, database, user } = values
  const [keyring = '', months = ''] = ['SECRETS_KEYS', 'AUDIT_RETENTION_MONTHS'].map(readSetting)
  return {
    ...{ stanza, config, folder, time, database, user },
    sample: readOption('--sample', () => parseInteger(values.sample, 1, 1_000_000)),
    secretsKeys: keyring === '' ? [] : readOption('SECRETS_KEYS', () => parseKeyring(keyring)),
    auditKeys: readAuditKeys(values.keys),
    auditRetentionMonths:
      months === '' ? 0 : readOption('AUDIT_RETENTION_MONTHS', () => parseInteger(months, 0, 1_200)),
  }
}

function readAuditKeys(file: string | undefined): Signer['publicKeys'] | undefined {
  if (file !== undefined) return readOption('--keys', () => parsePublicKeys(readFileSync(file, 'utf8')))
  const key = readSetting('AUDIT_SIGNING_KEY')
  if (key === '') return undefined
  return readOption('AUDIT_SIGNING_KEY', () => createSigner(parseSigningKeys(key)).publicKeys)
}
