import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { useConsoleWithNats } from '../support/console-with-nats.ts'
import { until } from '../support/until.ts'
import { canBeWatched, type Watching, watch } from '../support/watching.ts'

describe('the number of event streams', async () => {
  const { running } = await useConsoleWithNats({
    environment: { WATCH_MAX_PER_USER: '2', WATCH_MAX_PER_TEAM: '3', WATCH_MAX_PER_PROCESS: '5' },
  })
  const opened: Watching[] = []
  const metrics = () => running.deps.metrics.registry.metrics()
  const isWatched = async (count: number) => new RegExp(`subscribers ${count}\\b`).test(await metrics())

  const open = async (token: string) => {
    const watching = await watch(running.url, { token })
    opened.push(watching)
    return watching
  }
  /** A user of the team who watches so often. */
  const watchAs = async (team: string | undefined, times: number) => {
    const person = await running.person(team === undefined ? {} : { team })
    for (let n = 0; n < times; n++) assert.equal((await open(person.token)).status, 200)
    return person
  }
  await canBeWatched(running.url, (await running.person()).token)

  afterEach(async () => {
    for (const { stop } of opened.splice(0)) stop()
    await until('all have left', () => isWatched(0))
  })

  const refusal = async (token: string) => {
    const { status, body, headers } = await open(token)
    const { code, detail } = body as { code: string; detail: string }
    assert.match(headers.get('retry-after') ?? '', /^\d+$/)
    return { status, code, detail }
  }

  it('of a user is limited, and one that ends makes room', async () => {
    const { token } = await watchAs(undefined, 2)
    const { status, code, detail } = await refusal(token)
    assert.deepEqual([status, code], [429, 'too_many_requests'])
    assert.match(detail, /^This user already watches with 2 event streams/)
    opened[0]?.stop()
    await until('it has left', () => isWatched(1))
    assert.equal((await open(token)).status, 200)
  })

  it('of a team is limited', async () => {
    const { team } = await watchAs(undefined, 2)
    await watchAs(team, 1)
    const { token } = await running.person({ team })
    const { status, detail } = await refusal(token)
    assert.equal(status, 429)
    assert.match(detail, /^This team already watches with 3 event streams/)
    await watchAs(undefined, 1)
  })

  it('of a process is limited', async () => {
    for (let n = 0; n < 5; n++) await watchAs(undefined, 1)
    const { status, code, detail } = await refusal((await running.person()).token)
    assert.deepEqual([status, code], [503, 'overloaded'])
    assert.match(detail, /^All 5 event streams/)
    assert.match(await metrics(), /watch_refusals_total\{limit="process"\} 1/)
  })

  it('does not grow by requests that fail', async () => {
    const { token } = await running.person()
    for (let n = 0; n < 5; n++) {
      const { status } = await watch(running.url, { token, lastEventId: '1-999999-1' })
      assert.equal(status, 410)
    }
    assert.equal((await open(token)).status, 200)
  })
})
