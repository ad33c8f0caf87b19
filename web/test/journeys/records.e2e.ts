import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { open, useBrowser, visit } from '../support/browser.ts'
import { useWorld } from '../support/world.ts'

const COLLECTION = '/v1/agent-configurations'

describe('overview, scores, activity, evolution and a long history', async () => {
  const world = await useWorld({ fleet: false })
  const browser = await useBrowser()
  const token = await world.tokenOf('administrator')
  const send = async (method: string, path: string, json?: object): Promise<{ id: string }> => {
    const { status, body, text } = await world.running.request<{ id: string }>(method, COLLECTION + path, {
      token,
      ...(json === undefined ? {} : { json }),
    })
    assert.ok(status < 300, text)
    return body
  }

  test('a score that no longer holds has a band with the revision that ended it, and a row in the table', async () => {
    const { id } = await send('POST', '', { agent_name: 'Evaluated', model_name: 'one' })
    await evaluate(id, 1, 3)
    await evaluate(id, 1, 2)
    await send('PUT', `/${id}`, { purpose: 'does not bear on behaviour' })
    await send('PUT', `/${id}`, { model_name: 'two' })
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${id}/scores`)
    await page.getByText('Outdated since r3, 2 revisions behind').waitFor()
    await page.locator('svg text', { hasText: 'r3' }).waitFor()
    await page.getByRole('cell', { name: 'Outdated by Model' }).first().waitFor()
    assert.equal(await page.getByRole('row').count(), 3)
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await visitor.check()
    await page.getByRole('link', { name: 'r1' }).first().click()
    await page.waitForURL(/history\?a=1&b=3/)
    await visitor.context.close()
  })

  test('the overview names the weakest path and what is not known', async () => {
    const { id: weak } = await send('POST', '', {
      ...{ agent_name: 'Parts lookup', model_name: 'm', agent_url: 'https://parts.example/' },
    })
    const { id } = await send('POST', '', {
      ...{ agent_name: 'Claims', model_name: 'm', delegated_agents: [{ url: 'https://parts.example/' }] },
    })
    await send('PUT', `/${id}/lifecycle`, { trust_stage: 'hardened' })
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${id}`)
    await page.getByText('2 agents, ends at Registered without a guard').waitFor()
    await page.getByRole('heading', { name: 'Never evaluated' }).waitFor()
    const all = page.getByRole('link', { name: 'All activity' })
    assert.equal(await all.getAttribute('href'), `/console/audit?agent_id=${id}`)
    assert.equal(await page.getByRole('group', { name: 'Span of time' }).count(), 0)
    assert.equal(await page.getByRole('link', { name: 'All evaluations' }).count(), 0)
    await visitor.check()
    await page.getByRole('link', { name: 'Parts lookup' }).click()
    await page.getByRole('heading', { level: 1, name: 'Parts lookup' }).waitFor()
    await page.getByText('0 out · 1 in').waitFor()
    assert.match(page.url(), new RegExp(weak))
    await visitor.context.close()
  })

  test('a long history is loaded by pages, filtered, and linked at any two revisions', async () => {
    const { id } = await send('POST', '', {
      agent_name: 'Old',
      model_name: 'm',
      agent_params: { timeout: 1 },
    })
    await send('PUT', `/${id}`, { agent_params: { timeout: 2 } })
    for (let revision = 3; revision <= 130; revision += 1) {
      await send('PUT', `/${id}`, { purpose: `Purpose ${revision}` })
    }
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${id}/history?a=1&b=2`)
    // Neither is on the first page of the timeline.
    await page.getByText('agent_params.timeout').waitFor()
    assert.equal(await page.locator('[data-entry]').count(), 100)
    await page.getByRole('button', { name: 'All fields' }).click()
    await page.getByRole('menuitemradio', { name: 'What bears on behaviour' }).click()
    await page.getByText('None of the 100 loaded revisions matches').waitFor()
    await visitor.check()
    await page.getByRole('button', { name: 'Search earlier revisions' }).click()
    await page.getByText('2 revisions of 130').waitFor()
    await open(visitor, world, `/agents/${id}/history?a=1&b=999`)
    await page.getByRole('heading', { name: 'There is no such revision' }).waitFor()
    await visitor.check()
    await visitor.context.close()
  })

  test('activity shows a change as it happens, holds it back while paused, and filters by field', async () => {
    const { id } = await send('POST', '', { agent_name: 'Watched', model_name: 'one' })
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${id}/activity`)
    await page.getByText('1 change', { exact: true }).waitFor()
    await page.getByText('Live').first().waitFor()
    await send('PUT', `/${id}`, { model_name: 'two' })
    await page.getByText('2 changes', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await send('PUT', `/${id}`, { purpose: 'While nobody looks' })
    await page.getByText('1 newer change while paused').waitFor()
    assert.equal(await page.getByRole('main').getByRole('listitem').count(), 2)
    await page.getByRole('button', { name: 'Resume', exact: true }).click()
    await page.getByText('3 changes', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'All fields' }).click()
    await page.getByRole('menuitemradio', { name: 'Purpose' }).click()
    await page.getByText('1 change', { exact: true }).waitFor()
    await visitor.check()
    await visitor.context.close()
  })

  test('evolution shows the status, a genome that was refused and one that was taken, and an outage', async () => {
    const { id } = await send('POST', '', { agent_name: 'Evolving', model_name: 'one' })
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${id}/evolution`)
    await page.getByText('Generation', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Seed genome', disabled: true }).waitFor()
    await page.getByLabel('Genome').fill('{"name": ')
    await page.getByRole('button', { name: 'Seed genome', disabled: true }).waitFor()
    assert.equal(await page.getByLabel('Genome').getAttribute('aria-invalid'), 'true')
    await page.getByLabel('Genome').fill('{"name": "first"}')
    await page.getByRole('button', { name: 'Seed genome' }).click()
    await page.getByText('The genome was created').waitFor()
    await visitor.check()
    await world.running.evolution.stop()
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByRole('heading', { name: 'The evolution service is not reachable' }).waitFor()
    await world.running.evolution.resume()
    await visitor.check()
    await visitor.context.close()
  })

  async function evaluate(id: string, revision: number, daysAgo: number): Promise<void> {
    await send('PUT', `/${id}/latest-evaluation`, {
      ...{
        evaluation_id: randomUUID(),
        revision,
        completed_at: Math.floor(Date.now() / 1000) - daysAgo * 86_400,
      },
      ...{ overall_score: 0.8, reliability_score: 0.9, safety_score: 0.85, security_score: null },
    })
  }
})
