import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Route } from 'playwright-core'
import { open, useBrowser, visit } from '../support/browser.ts'
import { growFleet } from '../support/large-fleet.ts'
import { agentRows } from '../support/lists.ts'
import { useWorld } from '../support/world.ts'

describe('bulk changes', async () => {
  const world = await useWorld()
  const browser = await useBrowser()
  await growFleet(world, 900)

  it('of 500 agents: preview, one that another user changed meanwhile is refused, a result for each', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(
      visitor,
      world,
      '/agents?trust_stages=registered&trust_stages=tested&trust_stages=hardened&trust_stages=optimized',
    )
    await page.getByRole('checkbox', { name: 'Select the agents that are loaded' }).check()
    await page.getByText('200 selected').waitFor()
    await page.getByRole('button', { name: 'Select the first 500' }).click()
    await page.getByText('500 selected').waitFor()
    const refused = (await agentRows(page).nth(2).getAttribute('data-id')) ?? ''
    await page.getByRole('button', { name: 'Move stage' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Adapted').check()
    await dialog.getByText('500 will change').waitFor()
    await visitor.check()
    const token = await world.tokenOf('administrator')
    const json = { purpose: 'Changed between preview and move' }
    await world.running.request('PUT', `/v1/agent-configurations/${refused}`, { token, json })
    const held = Promise.withResolvers<void>()
    await page.route('**/bulk', async (route) => {
      await held.promise
      await route.continue()
    })
    await dialog.getByRole('button', { name: 'Move 500 agents to Adapted', exact: true }).click()
    await dialog.getByText('0 of 500 done').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    assert.equal(await dialog.getByLabel('Trusted').isDisabled(), true)
    assert.equal(await dialog.getByRole('button', { name: 'Cancel' }).getAttribute('aria-disabled'), 'true')
    held.resolve()
    await dialog.getByText('499 of 500 agents moved; 1 was refused').waitFor({ timeout: 60_000 })
    await dialog.locator('tbody tr').first().getByText('Refused').waitFor()
    await visitor.check()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByText('1 selected').waitFor()
    const reply = await world.running.request('GET', `/v1/agent-configurations/${refused}`, { token })
    assert.notEqual(reply.body.trust_stage, 'adapted')
  })

  it('are previewed again with another value after one whose response was lost', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/agents?trust_stages=adapted')
    await agentRows(page).getByRole('checkbox').first().check()
    await page.getByRole('button', { name: 'Move stage' }).click()
    const dialog = page.getByRole('dialog')
    const lose = async (route: Route) => {
      if (!route.request().url().includes('dry_run=true')) await route.fetch()
      await route.abort()
    }
    await dialog.getByLabel('Trusted').check()
    await dialog.getByText('1 will change').waitFor()
    await page.route('**/bulk*', lose)
    await dialog.getByRole('button', { name: /^Move 1 agent/ }).click()
    await dialog.getByText('Not all agents were changed').waitFor({ timeout: 60_000 })
    await page.unroute('**/bulk*')
    await dialog.getByLabel('Hardened').check()
    await dialog.getByText('1 will change').waitFor()
    await dialog.getByRole('button', { name: /^Move 1 agent/ }).click()
    await dialog.getByText('1 agent moved').waitFor()
  })

  it('are off for a viewer, with the permission that is missing', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/agents', 'viewer')
    await agentRows(page).getByRole('checkbox').first().check()
    const move = page.getByRole('button', { name: 'Move stage' })
    assert.equal(await move.getAttribute('aria-disabled'), 'true')
    assert.match((await move.getAttribute('title')) ?? '', /agent:lifecycle/)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    assert.match((await download).suggestedFilename(), /^agents-selected-.*\.csv$/)
    await visitor.check()
  })

  it('exports the agents that match, with the token of the user', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/agents?statuses=draft')
    await agentRows(page).first().waitFor()
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: /as CSV/ }).click()
    const stream = await (await download).createReadStream()
    const text = Buffer.concat(await stream.toArray()).toString()
    const [head = ''] = text.split('\r\n', 1)
    assert.match(head, /^format,revision,id,agent_name,/)
    assert.equal(head.includes('api_key'), false)
    await visitor.check()
  })
})
