import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { relative } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { waitForServices } from '../support/demos.ts'
import type { Process } from '../support/processes.ts'
import { until } from '../support/until.ts'
import { createUserAgent } from '../support/user-agent.ts'
import { commandsOf, createDevPlace, type DevPlace, isReady, runInShell } from './dev-process.ts'
import { TOURS, takeTour } from './tour.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test says itself what it expects of a body
type Json = any

/** What each printed command must respond with, in the order of the screen. */
const EXPECTED: [command: RegExp, check: (body: Json) => void][] = [
  [/\?q=invoice/, ({ results }) => assert.equal(results[0].agent_name, 'Invoice helper')],
  [/-X PUT -H 'if-match:/, ({ status }) => assert.equal(status, 'draft')],
  [/\/revisions$/, ({ results }) => assert.deepEqual(results[0].fields, ['status'])],
  [/\/restore -X POST$/, ({ status }) => assert.equal(status, 'active')],
  [/evolution\/status/, ({ state }) => assert.equal(state, 'proposing')],
]

describe('npm run dev', () => {
  let place: DevPlace
  let running: Process

  before(async () => {
    place = await createDevPlace()
  })
  after(async () => {
    running?.signal('SIGKILL')
    await running?.ended
    try {
      await place.isGone()
    } finally {
      await place.remove()
    }
  })

  const api = async (path: string): Promise<Json> => {
    const response = await fetch(`http://127.0.0.1:${place.ports.PORT}/v1/${path}`, {
      headers: { authorization: `Bearer ${readFileSync(place.file('token'), 'utf8')}` },
    })
    assert.equal(response.status, 200, path)
    const text = await response.text()
    return text.startsWith('{') ? JSON.parse(text) : text
  }
  const end = async (signal: NodeJS.Signals) => {
    running.signal(signal)
    assert.equal(await running.ended, 0, running.output())
    assert.deepEqual(await place.leftovers(), [])
  }
  const names = async () => {
    const { results } = await api('agent-configurations?statuses=active&statuses=draft&statuses=under_review')
    return results.map((agent: Json) => agent.agent_name).toSorted()
  }

  it('creates its database, starts everything, and ends with a screen of 24 lines and 100 columns', async () => {
    running = place.start()
    await isReady(running)
    // Its logs and its keys are for its user alone.
    assert.equal(statSync(place.folder).mode & 0o777, 0o700)
    const lines = running.output().replaceAll(relative('', place.folder), '.dev').split('\n')
    assert.ok(lines.length <= 24, running.output())
    assert.deepEqual(
      lines.filter((line) => line.length > 100),
      [],
    )
    for (const step of ['PostgreSQL', 'NATS', 'issuer', 'services', 'web', 'console', 'fleet']) {
      assert.match(running.output(), new RegExp(`^  ✓ ${step} +.+ \\d+\\.\\d s$`, 'm'))
    }
    for (const log of ['console', 'issuer', 'services'])
      assert.match(readFileSync(place.file(`logs/${log}.log`), 'utf8'), /listening/)
  })

  it('leads first to the console, where two clicks sign in the administrator of the demo fleet', async () => {
    const [link] = /http:\S+(?= and choose who you are)/.exec(running.output()) ?? []
    const url = `http://127.0.0.1:${place.ports.PORT}/console/`
    assert.equal(link, url)
    assert.ok(running.output().indexOf(url) < running.output().indexOf('/docs'))
    assert.match(await (await fetch(url)).text(), /<!doctype html>/i)

    const config = (await (await fetch(`${url}config.json`)).json()) as Json
    const callback = { client_id: config.client_id, redirect_uri: `${url}auth/callback` }
    const verifier = 'v'.repeat(43)
    const challenge = hash('sha256', verifier, 'base64url')
    const parameters = { ...callback, response_type: 'code', scope: config.scope, code_challenge: challenge }
    const query = new URLSearchParams({ ...parameters, code_challenge_method: 'S256' }).toString()
    const userAgent = createUserAgent()
    const page = await userAgent.visit(`${config.issuer}/auth?${query}`)
    const { url: back } = await userAgent.visit(page.url, {
      method: 'POST',
      body: new URLSearchParams({ person: 'administrator' }),
    })
    const code = new URL(back).searchParams.get('code') ?? ''
    const response = await fetch(`${config.issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...callback,
        grant_type: 'authorization_code',
        code,
        code_verifier: verifier,
      }),
    })
    const { access_token: token } = (await response.json()) as Json
    const agents = await fetch(`http://127.0.0.1:${place.ports.PORT}/v1/agent-configurations?q=invoice`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const { results } = (await agents.json()) as Json
    assert.equal(results[0].agent_name, 'Invoice helper')
  })

  it('prints commands that work', async () => {
    const { setUp, tries } = commandsOf(running)
    const [watch = ''] = tries.splice(
      tries.findIndex((command) => command.includes('/events')),
      1,
    )
    const watching = spawn('bash', ['-c', `${setUp}\n${watch.replace(/&$/, '')}`], { detached: true })
    try {
      let watched = ''
      watching.stdout.setEncoding('utf8').on('data', (text: string) => (watched += text))
      await until('changes are watched', () => watched.includes(': watching'))
      assert.equal(tries.length, EXPECTED.length)
      for (const [index, command] of tries.entries()) {
        const [pattern, check] = EXPECTED[index] as (typeof EXPECTED)[number]
        assert.match(command, pattern)
        check(JSON.parse(await runInShell(`${setUp}\n${command}`)))
      }
      await until('the restore was seen', () => watched.includes('console.agent.restored'))
    } finally {
      process.kill(-(watching.pid as number), 'SIGKILL')
    }
  })

  it('tells of the same agents everywhere', async () => {
    const { ids } = JSON.parse(readFileSync(place.file('fleet.json'), 'utf8')) as {
      ids: Record<string, string>
    }
    const known = new Set(Object.values(ids))
    const isKnown = (id: string) => assert.ok(known.has(id), id)
    await until('the services are mounted', async () => {
      const { results } = await api('services')
      return results.every(({ state }: Json) => state === 'up')
    })
    const { results: evaluations } = await api('evaluations')
    for (const { agent } of evaluations) isKnown(agent.agent_id)
    const { results: agents } = await api('agent-configurations?include_scores=true')
    const evaluated = agents.filter(({ latest_evaluation: latest }: Json) => latest !== null)
    for (const { id, latest_evaluation: latest } of evaluated) {
      const one = evaluations.find((evaluation: Json) => evaluation.id === latest.evaluation_id)
      assert.deepEqual(one.agent, { agent_id: id, revision: latest.revision })
      assert.match(await api(`evaluations/${one.id}/report`), /\w/)
    }
    const states = new Set(evaluated.map(({ latest_evaluation: latest }: Json) => latest.current))
    assert.deepEqual(states, new Set([true, false]))
    const { results: campaigns } = await api('campaigns')
    for (const { agent_ids: targets } of campaigns) targets.forEach(isKnown)
    const events = await api('telemetry/events?limit=5')
    for (const [, id = ''] of events.matchAll(/"agent":"([^"]+)"/g)) isKnown(id)
    const {
      results: [team],
    } = await api('teams')
    const { results: members } = await api(`teams/${team.id}/members`)
    const { results: revisions } = await api(`agent-configurations/${ids['concierge']}/revisions`)
    for (const { changed_by: user } of revisions) {
      assert.ok(members.some(({ id }: Json) => id === user))
    }
    for (const path of ['personas', 'policies', 'harnesses', 'guardrails']) {
      assert.ok((await api(path)).results.length > 0, path)
    }
  })

  it('refuses to start a second time beside itself, which goes on', async () => {
    const second = place.start()
    assert.equal(await second.ended, 1)
    assert.match(second.output(), /^\nnpm run dev is already running in this folder, as process \d+\. .+\n$/)
    await names()
  })

  it('has the same agents and the same token after a restart', async () => {
    const [token, before] = [readFileSync(place.file('token'), 'utf8'), await names()]
    assert.equal(before.length, 9)
    await end('SIGINT')
    running = place.start()
    await isReady(running)
    assert.equal(readFileSync(place.file('token'), 'utf8'), token)
    assert.deepEqual(await names(), before)
  })

  it('starts afresh with --reset', async () => {
    const token = readFileSync(place.file('token'), 'utf8')
    const before = await names()
    await end('SIGTERM')
    running = place.start({}, '--reset')
    await isReady(running)
    assert.notEqual(readFileSync(place.file('token'), 'utf8'), token)
    assert.deepEqual(await names(), before)
    const { results } = await api('agent-configurations?q=invoice')
    const { results: revisions } = await api(`agent-configurations/${results[0].id}/revisions`)
    assert.equal(revisions.length, 5)
  })

  for (const tour of TOURS) {
    it(`does what ${tour.file} says`, async () => {
      await waitForServices(`http://127.0.0.1:${place.ports.PORT}`)
      await takeTour(tour, running, place)
    })
  }

  it('takes everything with it when it is killed', async () => {
    running.signal('SIGKILL')
    await running.ended
    await place.isGone()
  })
})
