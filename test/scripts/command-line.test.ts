import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startProcess } from '../support/processes.ts'

const NOWHERE = { DATABASE_URL: 'postgres://a@127.0.0.1:1/b', SECRETS_KEYS: `k1:${'AB'.repeat(21)}A=` }

describe('a command that works on the database', () => {
  const run = async (script: string, ...options: string[]) => {
    const command = startProcess(script, NOWHERE, ...options)
    return { code: await command.ended, output: command.output() }
  }

  for (const script of ['scripts/migrate.ts', 'scripts/rotate-secrets.ts', 'scripts/seed.ts']) {
    it(`prints its help, and one line for each mistake: ${script}`, async () => {
      const help = await run(script, '--help')
      assert.equal(help.code, 0)
      assert.match(help.output, /^DATABASE_URL=postgres:\/\/….* npm run /)
      for (const line of help.output.split('\n')) assert.ok(line.length <= 100, line)
      assert.deepEqual(await run(script, '--halp'), { code: 1, output: "Unknown option '--halp'\n" })
      assert.deepEqual(await run(script), {
        code: 1,
        output: 'connect ECONNREFUSED 127.0.0.1:1. Check DATABASE_URL.\n',
      })
    })
  }
})
