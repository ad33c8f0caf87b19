import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { agentBodies } from '../../test/support/agent-bodies.ts'
import { useConsole } from '../../test/support/console.ts'
import { seedOr, sized } from '../../test/support/sized.ts'
import { outcomeOf, useBuiltProgram } from './support/built-program.ts'
import { nthRequest } from './support/nth-request.ts'
import { pullAgents, secretsFor } from './support/pulled.ts'
import { document, type SetFolder, useSetFolder } from './support/set-folder.ts'

const AGENTS = sized(20, 1_000)
const KILLS = sized(2, 100)
const SECRETS = sized(20, 200)
const SEED = seedOr(5)
/** Agents of the set whose apply is killed. */
const KILLED = 40
/** An apply of them sends about so many requests: a dry run and a write for each. */
const REQUESTS = 2 * KILLED

describe('configuration as code', async () => {
  const running = await useConsole()
  const { program } = await useBuiltProgram()

  const start = (set: SetFolder, token: string, argv: string[], more: Record<string, string> = {}) =>
    spawn(process.execPath, [program, ...argv], {
      cwd: set.folder,
      env: { PATH: process.env['PATH'], HOME: set.folder, AGENT_CONSOLE_TOKEN: token, ...more },
    })
  const run = async (...given: Parameters<typeof start>) => {
    const child = start(...given)
    const started = performance.now()
    return { ...(await outcomeOf(child)), ms: performance.now() - started }
  }

  it(`has nothing to plan after a pull of ${AGENTS} random agents`, async (t) => {
    const person = await running.person()
    const set = await useSetFolder(running, person)
    const bodies = fc.sample(agentBodies, { numRuns: AGENTS, seed: SEED })
    const ids = await pullAgents(running, person, set, bodies)
    const env = await secretsFor(set, bodies, ids)
    const { stdout, stderr, code, ms } = await run(set, person.token, ['plan', '--exit-code'], env)
    assert.equal(code, 0, stdout + stderr)
    assert.ok(stdout.includes(`= ${AGENTS} unchanged`), stdout)
    t.diagnostic(`${AGENTS} agents, ${Object.keys(env).length} secrets: plan in ${(ms / 1_000).toFixed(1)} s`)
  })

  it(`comes to the same end after ${KILLS} kills at random requests`, async (t) => {
    const person = await running.person()
    const set = await useSetFolder(running, person)
    const write = async (round: number) => {
      // Some agents come, and others go, in every round.
      for (let index = 0; index < KILLED; index++) {
        const spec = document({
          purpose: `round ${round}`,
          hub: `hub ${index % 3}`,
          skills: [{ id: `s${round}`, name: 's' }],
        })
        const isGone = index % 20 === round % 20
        await set.write({ [`agents/a${index}.yaml`]: isGone ? 'status_on_prune: delete\n' : spec })
      }
    }
    const argv = ['apply', '--yes', '--prune', '--max-prune', '50%', '--force']
    await write(0)
    const first = await run(set, person.token, argv)
    assert.equal(first.code, 0, first.stderr)
    let interrupted = 0
    for (let round = 1; round <= KILLS; round++) {
      await write(round)
      const killed = nthRequest(1 + Math.floor(Math.random() * REQUESTS))
      const child = start(set, person.token, argv)
      const ended = once(child, 'close')
      const isEnded = await Promise.race([ended.then(() => true), killed.promise.then(() => false)])
      child.kill('SIGKILL')
      await ended
      killed.forget()
      if (!isEnded) interrupted++
      // Requests that the killed process had sent may still be running: a stale agent is left for the next run.
      let last = await run(set, person.token, argv)
      for (let tries = 0; tries < 5 && last.code !== 0; tries++) last = await run(set, person.token, argv)
      assert.equal(last.code, 0, last.stdout + last.stderr)
      await checkEnd(set, round, person.team)
    }
    t.diagnostic(`${interrupted} of ${KILLS} were killed before their end`)
  })

  /** Exactly the agents of the files, with their values, and no other agent of the team. */
  const checkEnd = async (set: SetFolder, round: number, team: string) => {
    const members = await set.members()
    const wanted = Array.from({ length: KILLED }, (_, index) => index).filter(
      (index) => index % 20 !== round % 20,
    )
    assert.deepEqual([...members.keys()].toSorted(), wanted.map((index) => `a${index}`).toSorted())
    const rows = await running.database.query<{ id: string; purpose: string; hub: string }>(
      'SELECT id, purpose, hub FROM agents WHERE team_id = $1',
      [team],
    )
    assert.equal(rows.length, wanted.length, 'no agent was created twice')
    for (const index of wanted) {
      const row = rows.find(({ id }) => id === members.get(`a${index}`)?.agent_id)
      assert.deepEqual([row?.purpose, row?.hub], [`round ${round}`, `hub ${index % 3}`])
    }
    assert.deepEqual((await set.plan(['--exit-code'])).agents, [])
  }

  it(`shows none of ${SECRETS} planted secrets`, async (t) => {
    const person = await running.person()
    const set = await useSetFolder(running, person)
    const env = Object.fromEntries(
      Array.from({ length: SECRETS }, (_, index) => [`PLANTED_${index}`, `planted-${randomUUID()}`]),
    )
    const changed = Object.fromEntries(Object.keys(env).map((name) => [name, `planted-${randomUUID()}`]))
    const write = async (purpose: string, more: object = {}) => {
      for (let index = 0; index < SECRETS; index += 2) {
        const spec = {
          ...{ purpose, api_key: { $secret: { env: `PLANTED_${index}` } }, ...more },
          white_box_config: {
            repo_branch: purpose,
            github_token: { $secret: { env: `PLANTED_${index + 1}` } },
          },
        }
        await set.write({ [`agents/a${index}.yaml`]: document(spec) })
      }
    }
    const printed: string[] = []
    const record = async (argv: string[], code: number, secrets = env) => {
      const ran = await run(set, person.token, [...argv, '--verbose'], secrets)
      assert.equal(ran.code, code, ran.stderr)
      printed.push(ran.stdout, ran.stderr)
    }
    await write('one')
    for (const format of ['table', 'json', 'yaml', 'name']) await record(['plan', '-o', format], 0)
    await record(['apply', '--yes'], 0)
    await record(['plan', '--exit-code'], 0)
    await write('two')
    await record(['plan', '--out', 'two.plan'], 0, changed)
    await record(['apply', 'two.plan', '-o', 'json'], 0, changed)
    await record(['apply', '--yes', '-o', 'yaml'], 0)
    await record(['pull', '--overwrite'], 0)
    await record(['pull', '-d', 'copies'], 0)
    await write('three', { agent_url: 'https://user:password@example.com' })
    await record(['apply', '--yes'], 1)
    await write('three', { modle_name: 'x' })
    await record(['plan'], 1)
    const files = globSync('**/*', { cwd: set.folder }).map((file) => join(set.folder, file))
    const stored = files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file, 'utf8'))
    const everything = [...printed, ...stored, ...running.logLines].join('\n')
    const found = [...Object.values(env), ...Object.values(changed)].filter((secret) =>
      everything.includes(secret),
    )
    assert.deepEqual(found, [])
    t.diagnostic(`${2 * SECRETS} secrets in ${everything.length} characters of output, files and logs`)
  })

  it(`takes its time for ${AGENTS} agents`, async (t) => {
    const person = await running.person()
    const set = await useSetFolder(running, person)
    const write = async (purpose: string) => {
      for (let index = 0; index < AGENTS; index++) {
        const prompt = `You are agent ${index}. ${'Answer in short sentences. '.repeat(70)}`
        await set.write({ [`agents/a${index}.yaml`]: document({ purpose, agent_system_prompt: prompt }) })
      }
    }
    const measure = async (what: string, argv: string[]) => {
      const { code, ms, stdout, stderr } = await run(set, person.token, argv)
      assert.equal(code, 0, stdout + stderr)
      t.diagnostic(`${what}: ${(ms / 1_000).toFixed(1)} s`)
    }
    await write('one')
    await measure(`${AGENTS} creations applied`, ['apply', '--yes', '-o', 'name'])
    await measure(`${AGENTS} unchanged planned`, ['plan', '--exit-code'])
    await write('two')
    await measure(`${AGENTS} changes planned`, ['plan', '--out', 'two.plan', '-o', 'name'])
    await measure(`${AGENTS} changes applied from a plan file`, ['apply', 'two.plan', '-o', 'name'])
    await write('three')
    await measure(`${AGENTS} changes planned and applied`, ['apply', '--yes', '-o', 'name'])
  })
})
