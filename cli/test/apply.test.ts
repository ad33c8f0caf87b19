import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { describe, it } from 'node:test'
import { useConsole } from '../../test/support/console.ts'
import type { Outcome } from '../src/config-as-code/apply.ts'
import { document, useSetFolder } from './support/set-folder.ts'

interface AppliedData {
  agents: Outcome[]
  unchanged: number
}

describe('plan and apply', async () => {
  const running = await useConsole()
  const person = await running.person()
  const use = (env: Record<string, string> = {}) => useSetFolder(running, person, { env })

  it('create agents, and a second apply changes nothing', async () => {
    const { write, plan, json, run, members, console } = await use()
    await write({
      'agents/one.yaml': document({ purpose: { $file: '../prompts/one.md' } }),
      'agents/more/two.yaml': document({ hub: 'openai' }, { key: 'second' }),
      'prompts/one.md': 'Answers questions.\r\n',
    })
    const planned = await plan()
    assert.deepEqual(
      planned.agents.map(({ key, action, file }) => [key, action, file]),
      [
        ['one', 'create', 'agents/one.yaml'],
        ['second', 'create', 'agents/more/two.yaml'],
      ],
    )
    assert.equal((await members()).size, 0, 'a plan changes nothing')
    const applied = await json<AppliedData>(['apply', '--yes', '--reason', 'First'])
    assert.deepEqual(
      applied.agents.map(({ key, status, revision }) => [key, status, revision]),
      [
        ['one', 'applied', 1],
        ['second', 'applied', 1],
      ],
    )
    const one = (await members()).get('one')
    assert.deepEqual(one?.fields.toSorted(), ['agent_name', 'model_name', 'purpose'])
    const { agent } = await console.agents.get(one?.agent_id ?? '')
    assert.equal(agent.purpose, 'Answers questions.')
    const again = await plan(['--exit-code'])
    assert.deepEqual([again.agents, again.unchanged], [[], 2])
    assert.match((await run(['apply', '--yes'])).stdout, /= 2 unchanged\n\nNothing to do/)
    assert.equal((await members()).get('one')?.revision, 1)
  })

  it('agree: apply does what the plan says', async () => {
    const { write, plan, json, console, members } = await use()
    await write({
      'agents/a.yaml': document({ purpose: 'One', hub: 'openai', agent_params: { temperature: 0.2 } }),
      'agents/b.yaml': document({}),
    })
    await json(['apply', '--yes'])
    await write({ 'agents/a.yaml': document({ agent_name: 'Other', agent_params: { temperature: 0.5 } }) })
    const planned = await plan(['--exit-code'], 2)
    assert.equal(planned.unchanged, 1)
    const [item] = planned.agents
    assert.deepEqual(item?.released, ['hub'], 'never null: it keeps its value')
    const id = item?.agent_id ?? ''
    const { agent: before } = await console.agents.get(id)
    await json(['apply', '--yes'])
    const { agent: after, revision } = await console.agents.get(id)
    assert.equal(revision, (item?.revision ?? 0) + 1)
    const changed = Object.entries(after)
      .filter(([field]) => field !== 'updated_at')
      .filter(([field, value]) => JSON.stringify(before[field as 'id']) !== JSON.stringify(value))
    const expected = item?.changes.map(({ field, new: value }) => [field, value]) ?? []
    assert.deepEqual(Object.fromEntries(changed), Object.fromEntries(expected))
    assert.deepEqual((await members()).get('a')?.fields.toSorted(), [
      'agent_name',
      'agent_params',
      'model_name',
    ])
  })

  it('tell drift, which is set back, from a conflict, which needs a decision', async () => {
    const { write, plan, json, run, console, members } = await use()
    await write({ 'agents/a.yaml': document({ purpose: 'One', hub: 'one' }) })
    await json(['apply', '--yes'])
    const id = (await members()).get('a')?.agent_id ?? ''
    await console.agents.update(id, { purpose: 'Of a person', status: 'draft' })
    const drift = await plan(['--exit-code'], 2)
    assert.equal(drift.agents[0]?.action, 'drift')
    const [change] = drift.agents[0]?.changes ?? []
    assert.deepEqual([change?.old, change?.new, change?.drifted], ['Of a person', 'One', true])
    assert.equal(change?.changed_by, person.user)
    assert.match(
      (await run(['plan'])).stdout,
      /^! drift +a +agents\/a\.yaml\n +! purpose +Of a person → One/m,
    )

    await write({ 'agents/a.yaml': document({ purpose: 'Two', hub: 'two' }) })
    const conflict = await plan([], 5)
    assert.equal(conflict.agents[0]?.action, 'conflict')
    assert.match(
      conflict.agents[0]?.reason ?? '',
      /Overwrite it with --force-field purpose, or write its value into the file\.$/,
    )
    const refused = await json<AppliedData>(['apply', '--yes'], 5)
    assert.equal(refused.agents[0]?.status, 'conflict')
    assert.equal((await console.agents.get(id)).agent.purpose, 'Of a person')
    await json(['apply', '--yes', '--force-field', 'purpose'])
    const { agent } = await console.agents.get(id)
    assert.deepEqual([agent.purpose, agent.hub, agent.status], ['Two', 'two', 'draft'])
  })

  it('leave the fields of another set alone', async () => {
    const [first, second] = [await use(), await use()]
    await first.write({ 'agents/a.yaml': document({ purpose: 'One' }) })
    await first.json(['apply', '--yes'])
    const id = (await first.members()).get('a')?.agent_id ?? ''
    await second.write({ 'agents/b.yaml': { spec: { hub: 'two' } } })
    await second.json(['adopt', id, 'b', '--yes'])
    assert.equal((await second.members()).get('b')?.agent_id, id)
    assert.equal((await first.plan()).agents.length, 0)
    await second.write({ 'agents/b.yaml': { spec: { hub: 'two', purpose: 'Mine' } } })
    const { agents } = await second.plan([], 5)
    assert.match(agents[0]?.reason ?? '', new RegExp(`purpose \\(by the set ${first.set}\\)`))
  })

  it('go on with other agents, if one is in conflict', async () => {
    const { write, json, console, members } = await use()
    await write({ 'agents/a.yaml': document({ purpose: 'One' }), 'agents/b.yaml': document({}) })
    await json(['apply', '--yes'])
    await console.agents.update((await members()).get('a')?.agent_id ?? '', { purpose: 'Other' })
    await write({ 'agents/a.yaml': document({ purpose: 'Two' }), 'agents/b.yaml': document({ hub: 'b' }) })
    const { agents } = await json<AppliedData>(['apply', '--yes'], 3)
    assert.deepEqual(
      agents.map(({ key, status }) => `${key} ${status}`),
      ['b applied', 'a conflict'],
    )
  })

  it('ask the console only for what differs, if there are many agents', async () => {
    const { write, json, plan, console, members } = await use()
    const keys = Array.from({ length: 20 }, (_, index) => `a${index}`)
    await write(Object.fromEntries(keys.map((key) => [`agents/${key}.yaml`, document({ hub: key })])))
    await json(['apply', '--yes'])
    await write({ 'agents/a3.yaml': document({ hub: 'other' }), 'agents/a4.yaml': document({}) })
    const managed = await members()
    await console.agents.update(managed.get('a5')?.agent_id ?? '', { hub: 'of a person' })
    await console.agents.update(managed.get('a6')?.agent_id ?? '', { status: 'archived' })
    const asked: string[] = []
    const listener = (message: unknown) => {
      const { method, url = '' } = (message as { request: IncomingMessage }).request
      if (method === 'PUT') asked.push(url)
    }
    subscribe('http.server.request.start', listener)
    const { agents, unchanged } = await plan()
    unsubscribe('http.server.request.start', listener)
    assert.deepEqual(
      agents.map(({ key, action }) => `${key} ${action}`),
      ['a3 update', 'a4 update', 'a5 drift'],
    )
    assert.equal(unchanged, 17)
    assert.equal(asked.length, 3, asked.join())
  })

  it('ask on a terminal, and change nothing without a yes', async () => {
    const { write, run, members } = await use()
    await write({ 'agents/a.yaml': document({}) })
    const refused = await run(['apply'], { columns: 80, readLine: async () => 'no' })
    assert.equal(refused.code, 64)
    assert.match(refused.stderr, /Apply this change\? Type yes/)
    assert.match((await run(['apply'])).stderr, /Without a terminal, this needs --yes/)
    assert.equal((await members()).size, 0)
    const applied = await run(['apply'], { columns: 80, readLine: async () => 'yes' })
    assert.equal(applied.code, 0, applied.stderr)
    assert.match(applied.stdout, /1 created/)
  })

  it('apply a plan file only while nothing has changed', async () => {
    const { write, json, run, plan, path, console, members, folder } = await use({
      KEY: 'a-planted-secret-of-a-plan',
    })
    const secret = { api_key: { $secret: { env: 'KEY' } } }
    await write({ 'agents/a.yaml': document({ ...secret }), 'agents/b.yaml': document({}) })
    await json(['apply', '--yes'])
    const id = (await members()).get('b')?.agent_id ?? ''
    const change = () => write({ 'agents/a.yaml': document({ ...secret, purpose: randomUUID() }) })
    const makePlan = async () => {
      await change()
      await plan(['--out', 'a.plan'])
      assert.ok(!readFileSync(path('a.plan'), 'utf8').includes('a-planted-secret'))
    }
    const expectStale = async (message: RegExp) => {
      const before = await members()
      const ran = await run(['apply', 'a.plan'])
      assert.equal(ran.code, 5, ran.stderr)
      assert.match(ran.stderr, message)
      assert.deepEqual(await members(), before)
    }

    await makePlan()
    const applied = await run(['apply', 'a.plan'])
    assert.equal(applied.code, 0, applied.stderr)
    assert.match(applied.stdout, /1 updated/)
    await expectStale(/a: the agent is at revision 2, not 1/)
    await makePlan()
    await change()
    await expectStale(/a: its file has changed/)
    await makePlan()
    await console.agents.update(id, { status: 'draft' })
    await expectStale(/b: the agent is at revision 2/)
    await makePlan()
    await write({ 'agents/c.yaml': document({}) })
    await expectStale(/c: its file is new/)
    const other = await use()
    await other.write({ 'agents/a.yaml': document({}), 'a.plan': await readFile(path('a.plan'), 'utf8') })
    assert.match((await other.run(['apply', 'a.plan'])).stderr, /The plan is for the set/)
    assert.match((await run(['apply', 'a.plan', '--prune'])).stderr, /leave out --prune/)
    await write({ 'b.plan': '{}' })
    assert.equal((await run(['apply', 'b.plan'])).code, 64)
    assert.ok(folder)
  })
})
