import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useConsole } from '../../test/support/console.ts'
import { document, type SetFolder, useSetFolder } from './support/set-folder.ts'

describe('--prune', async () => {
  const running = await useConsole()
  const person = await running.person()
  /** A set of so many agents that were applied: a0, a1, … */
  const use = async (count: number): Promise<SetFolder> => {
    const folder = await useSetFolder(running, person)
    for (let index = 0; index < count; index++)
      await folder.write({ [`agents/a${index}.yaml`]: document({}) })
    await folder.json(['apply', '--yes'])
    return folder
  }
  const idOf = async ({ members }: SetFolder, key: string) => (await members()).get(key)?.agent_id ?? ''

  it('archives what has no file any more; without it nothing happens', async () => {
    const set = await use(3)
    const { remove, plan, run, json, members, console } = set
    const id = await idOf(set, 'a1')
    await remove('agents/a1.yaml')
    const { without_file: without, agents } = await plan(['--exit-code'])
    assert.deepEqual([without, agents], [['a1'], []])
    assert.match((await run(['apply', '--yes'])).stderr, /The agent a1 of the set has no file/)
    assert.equal((await members()).size, 3)
    assert.deepEqual(
      (await plan(['--prune', '--exit-code'], 2)).agents.map(({ key, action }) => `${key} ${action}`),
      ['a1 archive'],
    )
    assert.match((await run(['plan', '--prune'])).stdout, /^- archive {2}a1 {2}no file$/m)
    await json(['apply', '--yes', '--prune'])
    assert.equal((await console.agents.get(id)).agent.status, 'archived')
    assert.deepEqual([...(await members()).keys()], ['a0', 'a2'])
    assert.equal((await plan(['--prune'])).agents.length, 0)
  })

  it('takes at most a tenth of the agents and at least one, unless --max-prune allows more', async () => {
    const { remove, run, json, members } = await use(12)
    for (const index of [1, 2]) await remove(`agents/a${index}.yaml`)
    for (const argv of [[], ['--max-prune', '1'], ['--max-prune', '15%']]) {
      const ran = await run(['apply', '--yes', '--prune', ...argv])
      assert.equal(ran.code, 1)
      assert.match(
        ran.stderr,
        /would take 2 of the 12 agents[\s\S]* {2}a1\n {2}a2\n[\s\S]*give --max-prune 2/,
      )
    }
    assert.equal((await members()).size, 12)
    await json(['apply', '--yes', '--prune', '--max-prune', '20%'])
    assert.equal((await members()).size, 10)
  })

  it('leaves an agent that others have changed, unless --force is given', async () => {
    const set = await use(2)
    const { remove, plan, json, console, members } = set
    await console.agents.update(await idOf(set, 'a0'), { hub: 'of a person' })
    await remove('agents/a0.yaml')
    const { agents } = await plan(['--prune'], 5)
    assert.match(agents[0]?.reason ?? '', /others have changed it.*--force/)
    await json(['apply', '--yes', '--prune'], 5)
    assert.equal((await members()).size, 2)
    await json(['apply', '--yes', '--prune', '--force'])
    assert.equal((await members()).size, 1)
  })

  it('goes on after an interruption between archiving and leaving', async () => {
    const set = await use(2)
    const id = await idOf(set, 'a0')
    await set.console.agents.update(id, { status: 'archived' })
    await set.remove('agents/a0.yaml')
    await set.json(['apply', '--yes', '--prune'])
    assert.equal((await set.members()).size, 1)
    assert.equal((await set.console.agents.get(id)).revision, 2)
  })

  it('deletes if the document without a spec says so', async () => {
    const set = await use(2)
    const id = await idOf(set, 'a0')
    await set.write({ 'agents/a0.yaml': 'status_on_prune: delete\n' })
    assert.deepEqual((await set.plan()).without_file, ['a0'])
    assert.equal((await set.plan(['--prune'])).agents[0]?.action, 'delete')
    await set.json(['apply', '--yes', '--prune'])
    await assert.rejects(set.console.agents.get(id), { name: 'NotFound' })
    assert.equal((await set.members()).size, 1)
  })

  it('is refused for an empty set of files, and for some of the files', async () => {
    const { remove, run, members } = await use(1)
    await remove('agents/a0.yaml')
    for (const argv of [['apply', '--yes'], ['apply', '--yes', '--prune', '--max-prune', '100%'], ['plan']]) {
      const ran = await run(argv)
      assert.equal(ran.code, 1)
      assert.match(
        ran.stderr,
        /There is no file of an agent: agents\/\*\*\/\*\.yaml in .*An empty set is not compared/,
      )
    }
    assert.equal((await members()).size, 1)
    for (const [argv, message] of [
      [['plan', '--prune', '-f', 'agents'], /leave out -f/],
      [['plan', '--max-prune', '5'], /for --prune/],
      [['plan', '--prune', '--max-prune', '101%'], /--max-prune is a number/],
    ] as [string[], RegExp][]) {
      const ran = await run(argv)
      assert.equal(ran.code, 64, ran.stderr)
      assert.match(ran.stderr, message)
    }
  })

  it('is planned, and applied from the plan file', async () => {
    const { remove, plan, run, members } = await use(2)
    await remove('agents/a1.yaml')
    await plan(['--prune', '--out', 'prune.plan'])
    assert.equal((await run(['apply', 'prune.plan'])).code, 0)
    assert.deepEqual([...(await members()).keys()], ['a0'])
  })
})
