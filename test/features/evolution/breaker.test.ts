import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { afterEach, describe, it } from 'node:test'
import { type Person, type TestConsole, useConsole } from '../../support/console.ts'
import { until } from '../../support/until.ts'

describe('the breaker', async () => {
  const running = await useConsole({ environment: { EVOLUTION_DEADLINE_MS: '400' } })
  const people = [await running.person(), await running.person()]
  const [person] = people as [Person, Person]

  /** The teams take turns: the failures of one alone do not open the breaker for all. */
  let asked = 0
  const ask = (method: 'GET' | 'POST' = 'GET', { token } = people[asked++ % 2] as Person) =>
    method === 'GET'
      ? running.request('GET', `/v1/evolution/status/${randomUUID()}`, { token })
      : running.request('POST', '/v1/genomes/', { token, json: {} })

  /** Sixteen callers that send requests until the work is done. */
  const underLoad = async (work: (statuses: number[]) => Promise<void>) => {
    const statuses: number[] = []
    let isWorking = true
    const load = Array.from({ length: 16 }, async () => {
      while (isWorking) statuses.push((await ask()).status)
    })
    try {
      await work(statuses)
    } finally {
      isWorking = false
      await Promise.all(load)
    }
  }
  const isOpen = async () => {
    const { body } = await running.request('GET', '/health/ready')
    return body.dependencies.evolution === 'down'
  }
  /** However many requests of the test before still count as successes. */
  const failUntilOpen = async () => {
    running.evolution.misbehave('error_500')
    await until('the breaker is open', async () => {
      await ask('POST')
      return isOpen()
    })
  }

  afterEach(async () => {
    running.evolution.misbehave(null)
    await running.evolution.resume()
    for (const each of people) {
      await until('the breaker closes by itself', async () => (await ask('GET', each)).status === 200)
    }
  })

  it('opens when the upstream dies under load, and closes by itself', async () => {
    await underLoad(async (statuses) => {
      await until('calls succeed', () => statuses.filter((status) => status === 200).length > 200)
      await running.evolution.stop()
      await until('the breaker is open', isOpen)
      const reply = await ask()
      assert.equal(reply.status, 503)
      assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/)
      await running.evolution.resume()
      const before = statuses.length
      await until('calls succeed again', () => statuses.slice(before).includes(200))
    })
  })

  it('sends only probes while the upstream stays dead', async () => {
    await failUntilOpen()
    running.evolution.clearRequests()
    const statuses: number[] = []
    await until('a probe was sent', async () => {
      statuses.push((await ask()).status)
      return running.evolution.requests().length > 0
    })
    // The probe got the 500 of the upstream; every other request was refused here. The other team has a probe as well.
    assert.deepEqual([statuses.at(-1), ...new Set(statuses.slice(0, -1))], [502, 503])
    assert.deepEqual([(await ask()).status, (await ask()).status], [502, 503])
    assert.equal(running.evolution.requests().length, 2)
  })

  it('stays closed when only the calls of one team fail', async () => {
    running.evolution.misbehave('error_500')
    for (let call = 0; call < 60; call++) assert.equal((await ask('POST', person)).status, 502)
    assert.equal(await isOpen(), false)
  })

  it('does not count a caller that hangs up', async () => {
    running.evolution.misbehave('hang')
    for (let round = 0; round < 60; round++) await hangUp(running, person)
    running.evolution.misbehave(null)
    assert.equal(await isOpen(), false)
    assert.equal((await ask()).status, 200)
    await until('all of them are counted', async () =>
      /outcome="client_disconnected"\} 60\b/.test(await running.core.metrics.registry.metrics()),
    )
  })

  it('is not closed by a probe whose caller hung up', async () => {
    await failUntilOpen()
    running.evolution.misbehave('hang')
    running.evolution.clearRequests()
    await until('a probe was sent, and its caller left', async () => {
      await hangUp(running, person)
      return running.evolution.requests().length > 0
    })
    assert.equal((await ask('GET', person)).status, 503)
    assert.equal(running.evolution.requests().length, 1)
    assert.equal(await isOpen(), true)
  })

  it('does not count a 4xx', async () => {
    running.evolution.misbehave('error_4xx', { status: 404 })
    for (let round = 0; round < 60; round++) assert.equal((await ask()).status, 404)
    assert.equal(await isOpen(), false)
  })

  it('lets at most a tenth of calls be retried, and never a POST', async () => {
    running.evolution.misbehave('error_503', { share: 0.3 })
    running.evolution.clearRequests()
    const CALLS = 400
    const statuses: number[] = []
    for (let call = 0; call < CALLS; call++) statuses.push((await ask()).status)
    const sent = running.evolution.requests().length
    assert.ok(sent > CALLS, 'some are retried')
    assert.ok(sent <= CALLS * 1.1 + 10, `${sent} requests for ${CALLS} calls`)
    running.evolution.clearRequests()
    for (let call = 0; call < 100; call++) await ask('POST')
    assert.equal(running.evolution.requests().length, 100)
  })
})

/** Sends a request and leaves as soon as the upstream has it. */
async function hangUp(running: TestConsole, person: Person): Promise<void> {
  const seen = running.evolution.requests().length
  const sent = httpRequest(`${running.url}/v1/evolution/status/${randomUUID()}`, {
    headers: { authorization: `Bearer ${person.token}` },
  })
  let answered = false
  sent.on('error', () => {})
  sent.on('response', (response) => {
    answered = true
    response.resume()
  })
  sent.end()
  await until(
    'the upstream or the caller has it',
    () => answered || running.evolution.requests().length > seen,
  )
  sent.destroy()
  const gone = async () =>
    /in_flight\{upstream="evolution"\} [01]\b/.test(await running.core.metrics.registry.metrics())
  await until('the call has ended', gone)
}
