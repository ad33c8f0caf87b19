import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { open, useBrowser, visit } from '../support/browser.ts'
import { colleague } from '../support/colleague.ts'
import { assertNowhere } from '../support/watched-page.ts'
import { useWorld } from '../support/world.ts'

const SECRET = 'sk-planted-9e8d7c6b5a493827'

describe('creating an agent', async () => {
  const world = await useWorld()
  const browser = await useBrowser()
  const { agents } = colleague(world)

  it('needs only the keyboard, also to edit it afterwards', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/agents/new')
    await page.getByLabel('Name', { exact: true }).waitFor()
    assert.equal(await page.getByText('required', { exact: true }).count(), 2)
    await focusByTab(page, 'Name')
    await page.keyboard.press('Enter')
    await page.getByText('2 fields need a correction').waitFor()
    await visitor.check()
    // The focus is on the first fault.
    await page.keyboard.type('Refund desk')
    await focusByTab(page, 'Model')
    await page.keyboard.type('gpt-5.4')
    await focusByTab(page, 'Temperature')
    await page.keyboard.type('0.4')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/agents\/[0-9a-f-]{36}$/)
    const id = page.url().slice(-36)
    await page.getByRole('heading', { level: 1, name: 'Refund desk' }).waitFor()
    assert.deepEqual((await agents.get(id)).agent.agent_params, { temperature: 0.4 })

    await focusByTab(page, 'Configuration')
    await page.keyboard.press('Enter')
    await page.getByLabel('Purpose').waitFor()
    await focusByTab(page, 'Purpose')
    await page.keyboard.type('Handles refunds')
    await page.keyboard.press('Control+s')
    await page.getByText('Saved revision 2').waitFor()
    assert.equal((await agents.get(id)).agent.purpose, 'Handles refunds')
    await visitor.check()
  })

  it('takes JSON, says what it ignores, and never takes a secret', async () => {
    const visitor = await visit(browser, { width: 390, height: 844 })
    const { page, context } = visitor
    await open(visitor, world, '/agents/new')
    await page.getByRole('button', { name: 'Import JSON' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import an agent from JSON' })
    const json = {
      ...{ id: 'x', trust_stage: 'tested', agent_name: 'Imported', model_name: 'gpt-5.4', api_key: SECRET },
      ...{ capabilities: { streaming: true }, agent_params: { seed: 7 }, rate_limit_requests_per_minute: 0 },
    }
    await dialog.getByLabel('JSON', { exact: true }).fill(JSON.stringify(json))
    await dialog.getByText('id, trust_stage').waitFor()
    await dialog.getByText('api_key').last().waitFor()
    await visitor.check()
    await dialog.getByRole('button', { name: 'Fill the form' }).click()
    await assertNowhere(page, context, SECRET)
    await page.getByRole('button', { name: 'Create agent' }).click()
    await page.getByRole('alert').getByRole('link', { name: 'Rate limit' }).waitFor()
    await page.getByLabel('Rate limit').fill('30')
    await page.getByRole('button', { name: 'Create agent' }).click()
    await page.waitForURL(/\/agents\/[0-9a-f-]{36}$/)
    const { agent } = await agents.get(page.url().slice(-36))
    assert.deepEqual(agent.agent_params, { seed: 7 })
    assert.equal(agent.capabilities.streaming, true)
    assert.equal(agent.api_key, null)
    await visitor.check()
  })
})

/** Presses Tab until the control or link with the label has the focus. */
async function focusByTab(page: Page, label: string): Promise<void> {
  for (let step = 0; step < 80; step += 1) {
    const name = await page.evaluate(() => {
      const element = document.activeElement
      const labels =
        element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement ? element.labels : null
      return (labels?.[0] ?? element)?.textContent ?? ''
    })
    if (name.replace('bears on behaviour', '').trim() === label) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${label}`)
}
