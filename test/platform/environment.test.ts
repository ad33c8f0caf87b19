import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { errorsOf } from '../support/configuration.ts'
import { startProcess } from '../support/processes.ts'

describe('a variable that ends in _FILE', () => {
  const folder = mkdtempSync(join(tmpdir(), 'console-variables-'))
  after(() => rmSync(folder, { recursive: true }))
  const fileOf = (text: string) => {
    const path = join(folder, randomBytes(6).toString('hex'))
    writeFileSync(path, text)
    return path
  }
  const KEYS = `k1:${randomBytes(32).toString('base64')}`
  const REQUIRED = {
    DATABASE_URL: 'postgres://127.0.0.1/unused',
    AUTH_ISSUER: 'https://issuer.example',
    AUTH_AUDIENCE: 'console',
    SECRETS_KEYS: KEYS,
  }
  const { SECRETS_KEYS: _, ...WITHOUT_KEYS } = REQUIRED

  it('names the file that holds the value, of every variable, without the line break at its end', () => {
    const { secretsKeys } = readConfig({ ...WITHOUT_KEYS, SECRETS_KEYS_FILE: fileOf(`${KEYS}\n`) })
    assert.deepEqual(secretsKeys, readConfig(REQUIRED).secretsKeys)
    const files = Object.fromEntries(
      Object.entries(REQUIRED).map(([name, value]) => [`${name}_FILE`, fileOf(value)]),
    )
    assert.deepEqual(readConfig(files), readConfig(REQUIRED))
    const optional = { EVOLUTION_URL_FILE: fileOf('https://evolution'), PORT_FILE: fileOf('81') }
    const { evolution, port } = readConfig({ ...REQUIRED, ...optional })
    assert.deepEqual([evolution?.url, port], ['https://evolution', 81])
  })

  it('must not be set beside the variable itself', () => {
    const message = errorsOf({ ...REQUIRED, SECRETS_KEYS_FILE: fileOf(KEYS) })
    assert.match(message, /- SECRETS_KEYS and SECRETS_KEYS_FILE are both set: set one of them$/)
    assert.equal(errorsOf({ ...REQUIRED, SECRETS_KEYS_FILE: ' ' }), '')
    assert.equal(errorsOf({ ...REQUIRED, SECRETS_KEYS: '', SECRETS_KEYS_FILE: fileOf(KEYS) }), '')
  })

  it('with a file that is missing, empty or wrong is one of the errors, which never contain the value', () => {
    const message = errorsOf({
      ...WITHOUT_KEYS,
      SECRETS_KEYS_FILE: KEYS,
      DATABASE_URL: '',
      DATABASE_URL_FILE: fileOf('\n'),
      PORT_FILE: fileOf('eighty'),
    })
    assert.equal(
      message,
      'The configuration has 3 errors:\n' +
        '  - PORT must be a whole number from 0 to 65535\n' +
        '  - DATABASE_URL is missing\n' +
        '  - SECRETS_KEYS cannot be read from the file that SECRETS_KEYS_FILE names (ENOENT)',
    )
  })

  it('works for commands, too', async () => {
    const environment = {
      DATABASE_URL_FILE: fileOf('postgres://a@127.0.0.1:1/b'),
      SECRETS_KEYS_FILE: fileOf(KEYS),
    }
    for (const script of ['scripts/migrate.ts', 'scripts/rotate-secrets.ts']) {
      const command = startProcess(script, environment)
      assert.equal(await command.ended, 1)
      assert.equal(command.output(), 'connect ECONNREFUSED 127.0.0.1:1. Check DATABASE_URL.\n')
    }
  })
})
