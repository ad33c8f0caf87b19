import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useConsole, useReplica } from '../../test/support/console.ts'
import type { Outcome } from '../src/config-as-code/apply.ts'
import { document, useSetFolder } from './support/set-folder.ts'
import { useUnreliableProxy } from './support/unreliable-proxy.ts'

const AGENTS = 12

describe('apply at the same time', async () => {
  const running = await useConsole()
  const replica = await useReplica(running)
  const person = await running.person()
  const keys = Array.from({ length: AGENTS }, (_, index) => `a${index}`)
  const files = (spec: (key: string) => object) =>
    Object.fromEntries(keys.map((key) => [`agents/${key}.yaml`, document(spec(key))]))

  it('as another apply and a person loses nothing', async () => {
    const first = await useSetFolder(running, person)
    const second = await useSetFolder({ url: replica.url }, person, { set: first.set })
    await first.write(files(() => ({ purpose: 'one', hub: 'one' })))
    await first.json(['apply', '--yes'])
    const members = await first.members()
    await first.write(files(() => ({ purpose: 'two', hub: 'one' })))
    await second.write(files(() => ({ purpose: 'one', hub: 'two' })))
    const changeByHand = async (key: string) => {
      await first.console.agents.update(members.get(key)?.agent_id ?? '', {
        status: 'draft',
        model_name: `of ${key}`,
      })
    }
    const [one, two] = await Promise.all([
      first.run(['apply', '--yes', '-o', 'json']),
      second.run(['apply', '--yes', '-o', 'json']),
      ...keys.map(changeByHand),
    ])
    for (const { code, stderr } of [one, two]) assert.ok([0, 3, 5].includes(code), stderr)
    for (const key of keys) {
      const id = members.get(key)?.agent_id ?? ''
      const { agent, revision } = await first.console.agents.get(id)
      // A field that no file has is never touched.
      assert.equal(agent.status, 'draft')
      const { results: history } = await first.console.agents.revisions(id)
      assert.equal(history.length, revision)
      // No revision overwrites a change that its writer has not seen: each apply that reports success is in the history.
      for (const [ran, purpose, hub] of [
        [one, 'two', 'one'],
        [two, 'one', 'two'],
      ] as const) {
        const { agents } = JSON.parse(ran.stdout) as { agents: Outcome[] }
        const outcome = agents.find((each) => each.key === key)
        if (outcome?.status !== 'applied') continue
        const { agent: then } = await first.console.agents.get(id, { revision: outcome.revision ?? 0 })
        assert.deepEqual([then.purpose, then.hub], [purpose, hub], key)
      }
    }
    // Running one of them again brings its state, whatever was in between.
    await first.run(['apply', '--yes'])
    const again = await first.run(['apply', '--yes', '--force-field', 'purpose,hub,model_name', '-o', 'json'])
    assert.equal(again.code, 0, again.stderr)
    assert.deepEqual((await first.plan()).agents, [])
  })

  it('as a person changes one of the agents: that one is stale, and the others go on', async () => {
    const { write, run, json, console, members } = await useSetFolder(running, person)
    await write(files(() => ({ purpose: 'one' })))
    await json(['apply', '--yes'])
    await write(files(() => ({ purpose: 'two' })))
    const id = (await members()).get('a5')?.agent_id ?? ''
    const ran = await run(['apply', '-o', 'json'], {
      columns: 80,
      readLine: async () => {
        await console.agents.update(id, { status: 'draft' })
        return 'yes'
      },
    })
    assert.equal(ran.code, 3, ran.stderr)
    const { agents } = JSON.parse(ran.stdout) as { agents: Outcome[] }
    assert.deepEqual(
      agents.filter(({ status }) => status !== 'applied').map(({ key, status }) => [key, status]),
      [['a5', 'stale']],
    )
    assert.equal((await console.agents.get(id)).agent.purpose, 'one')
    await json(['apply', '--yes'])
    assert.equal((await console.agents.get(id)).agent.purpose, 'two')
  })

  it('as a console that is busy waits as it says, and sends fewer requests at once', async () => {
    const busy = await useUnreliableProxy(running.url)
    const { write, json, run, members } = await useSetFolder({ url: busy.url }, person)
    await write(files(() => ({})))
    const waits: number[] = []
    busy.refuse = (count) =>
      count % 5 === 0 ? { status: count % 10 === 0 ? 503 : 429, retryAfter: '7' } : undefined
    const ran = await run(['apply', '--yes'], { columns: 80, sleep: async (ms) => void waits.push(ms) })
    assert.equal(ran.code, 0, `${ran.stderr}${ran.stdout}`)
    assert.match(ran.stderr, /The console is busy\. Trying again…/)
    assert.ok(waits.length > 0 && waits.every((ms) => ms === 7_000), waits.join())
    assert.equal((await members()).size, AGENTS)
    assert.ok(
      busy.atOnce.slice(0, 10).some((count) => count > 2),
      'eight at first',
    )
    assert.equal(Math.max(...busy.atOnce.slice(-6)), 1, 'one at the end')
    busy.refuse = () => undefined
    assert.equal((await json<{ unchanged: number }>(['plan'])).unchanged, AGENTS)
  })

  it('as a console ends for good says why and how far it came, in lines that fit', async () => {
    const ending = await useUnreliableProxy(running.url)
    const { write, run, members } = await useSetFolder({ url: ending.url }, person)
    await write(files(() => ({})))
    ending.onWrite = (count) => {
      if (count === 3) ending.refuse = () => 'close'
    }
    const ran = await run(['apply', '--yes'], { columns: 40, env: { NO_COLOR: '1' } })
    assert.equal(ran.code, 3, ran.stderr)
    const { size } = await members()
    const [count = '', ...reason] = ran.stdout.trimEnd().split('\n').toReversed()
    assert.equal(count, `${size} created, ${AGENTS - size} not begun. Apply again to go on.`)
    assert.ok((reason[0] ?? '').length <= 40, reason[0])
    assert.match(reason.slice(0, 3).toReversed().join(' '), /PUT .*: the connection failed/)
  })

  it('as responses get lost finds its own changes', async () => {
    const lossy = await useUnreliableProxy(running.url)
    const { write, json, members } = await useSetFolder({ url: lossy.url }, person)
    lossy.refuse = (count) => (count % 4 === 0 ? 'lose' : undefined)
    await write(files(() => ({ purpose: 'one' })))
    await json(['apply', '--yes'])
    await write(files(() => ({ purpose: 'two' })))
    const { agents } = await json<{ agents: Outcome[] }>(['apply', '--yes'])
    assert.deepEqual(new Set(agents.map(({ status }) => status)), new Set(['applied']))
    for (const { revision } of (await members()).values()) assert.equal(revision, 2)
  })

  it('as a console fails after a change reports the change, and what was not checked', async () => {
    const failing = await useUnreliableProxy(running.url)
    const { write, run } = await useSetFolder({ url: failing.url }, person)
    // The console returns a score as text, so that only a request can compare it.
    await write({ 'agents/a.yaml': document({ test_score: 87.5 }) })
    const busy = { status: 503, retryAfter: '0' }
    failing.onWrite = () => {
      failing.refuse = () => busy
      failing.refuseOther = () => busy
    }
    const ran = await run(['apply', '--yes'])
    assert.equal(ran.code, 0, `${ran.stderr}${ran.stdout}`)
    assert.match(ran.stdout, /1 created\.\n$/)
    assert.match(ran.stderr, /^a was applied, but not compared with its file: PUT .*503/m)
    assert.match(ran.stderr, /^The changes were made, but the set was not read again: GET .*503/m)
  })

  it('is interrupted: what was sent ends, the rest is not begun, and running it again goes on', async () => {
    const slow = await useUnreliableProxy(running.url)
    const { write, json, run, members } = await useSetFolder({ url: slow.url }, person)
    await write(files(() => ({})))
    const leaving = new AbortController()
    slow.onWrite = (count) => {
      if (count === 3) leaving.abort(new DOMException('Interrupted', 'AbortError'))
    }
    const ran = await run(['apply', '--yes', '--concurrency', '2'], { signal: leaving.signal })
    assert.equal(ran.code, 130, ran.stderr)
    const { size } = await members()
    assert.ok(size >= 3 && size < AGENTS, String(size))
    assert.match(
      ran.stdout,
      new RegExp(`Interrupted. ${size} created, ${AGENTS - size} not begun. Apply again`),
    )
    slow.onWrite = () => {}
    const { agents, unchanged } = await json<{ agents: Outcome[]; unchanged: number }>(['apply', '--yes'])
    assert.deepEqual([agents.length, unchanged], [AGENTS - size, size])
  })
})
