import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { codeOf, createAgent, getAgent, putAgent } from '../support/agents.ts'
import { useConsole } from '../support/console.ts'

describe('an error that the database reports', async () => {
  const running = await useConsole()
  const person = await running.person()
  const { id } = await createAgent(running, person)
  const { query } = running.database
  await query(`
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN RAISE EXCEPTION ''failed on purpose'' USING ERRCODE = TG_ARGV[0]; END'`)
  /** Makes each update of an agent fail: at once, or when the transaction commits. */
  const failWith = async (code: string, when: 'at once' | 'at the commit') => {
    await query('DROP TRIGGER IF EXISTS fail ON agents')
    const kind =
      when === 'at once'
        ? 'TRIGGER fail BEFORE UPDATE ON agents'
        : 'CONSTRAINT TRIGGER fail AFTER UPDATE ON agents DEFERRABLE INITIALLY DEFERRED'
    await query(`CREATE ${kind} FOR EACH ROW EXECUTE FUNCTION fail('${code}')`)
  }

  const codes = {
    '53000': 'insufficient resources',
    '53100': 'disk full',
    '53200': 'out of memory',
    '53400': 'configuration limit exceeded',
    '57000': 'operator intervention',
    '57014': 'query cancelled',
    '58000': 'system error',
    '58030': 'input or output error',
    '40001': 'serialization failure',
  }
  for (const [code, name] of Object.entries(codes)) {
    for (const when of ['at once', 'at the commit'] as const) {
      it(`${code} (${name}) ${when} is a 503 that changed nothing`, async () => {
        await failWith(code, when)
        const before = await getAgent(running, person, id)
        const reply = await putAgent(running, person, id, { purpose: `${code} ${when}` })
        assert.equal(reply.status, 503, reply.text)
        assert.equal(codeOf(reply), 'database_unavailable')
        assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/)
        assert.equal((await getAgent(running, person, id)).text, before.text)
      })
    }
  }

  for (const code of ['57P01', '57P02', '08006', '08P01']) {
    it(`${code} during a write is a 503 with an unknown outcome`, async () => {
      await failWith(code, 'at once')
      const reply = await putAgent(running, person, id, { purpose: code })
      assert.equal(reply.status, 503, reply.text)
      assert.equal(codeOf(reply), 'outcome_unknown')
      assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/)
    })
  }

  for (const [code, name] of [
    ['22012', 'division by zero'],
    ['42501', 'insufficient privilege'],
  ] as const) {
    it(`${code} (${name}) is a defect of the console`, async () => {
      await failWith(code, 'at once')
      assert.equal((await putAgent(running, person, id, { purpose: code })).status, 500)
    })
  }
})
