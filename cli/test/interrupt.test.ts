import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { describe, it } from 'node:test'
import { useConsole } from '../../test/support/console.ts'
import { outcomeOf, useBuiltProgram } from './support/built-program.ts'
import { nthRequest } from './support/nth-request.ts'
import { document, useSetFolder } from './support/set-folder.ts'

const AGENTS = 40

describe('an apply that is interrupted', async () => {
  const running = await useConsole()
  const person = await running.person()
  const { program, env } = await useBuiltProgram()

  it('ends what is under way, says what is done, and goes on when it is repeated', async () => {
    const set = await useSetFolder(running, person)
    const keys = Array.from({ length: AGENTS }, (_, index) => `a${index}`)
    const write = (purpose: string) =>
      set.write(Object.fromEntries(keys.map((key) => [`agents/${key}.yaml`, document({ purpose })])))
    await write('one')
    await set.json(['apply', '--yes'])
    await write('two')
    await set.plan(['--out', 'two.plan'])

    const middle = nthRequest(AGENTS / 2)
    const child = spawn(process.execPath, [program, 'apply', 'two.plan'], {
      cwd: set.folder,
      env: { ...env, AGENT_CONSOLE_TOKEN: person.token },
    })
    const ended = outcomeOf(child)
    await Promise.race([middle.promise, ended])
    child.kill('SIGINT')
    const { stdout, stderr, code } = await ended
    middle.forget()

    assert.equal(code, 130, stdout + stderr)
    const said = /Interrupted\. (\d+) updated, (\d+) not begun\. Apply again to go on\./.exec(stdout)
    const [, done, rest] = (said ?? []).map(Number)
    assert.equal((done ?? 0) + (rest ?? 0), AGENTS, stdout)
    const changed = await running.database.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM agents WHERE team_id = $1 AND purpose = 'two'`,
      [person.team],
    )
    assert.equal(changed[0]?.count, done, 'exactly what it says was changed')

    const again = await set.json<{ agents: unknown[]; unchanged: number }>(['apply', '--yes'])
    assert.deepEqual([again.agents.length, again.unchanged], [rest, done])
  })
})
