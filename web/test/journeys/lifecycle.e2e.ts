import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { open, useBrowser, visit } from '../support/browser.ts'
import { useWorld } from '../support/world.ts'

describe('the lifecycle board', async () => {
  const world = await useWorld()
  const browser = await useBrowser()

  it('moves a card by keyboard alone, with a reason', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/lifecycle')
    const card = page.locator(`[data-card="${world.agents['invoices']}"]`)
    await card.waitFor()
    assert.match((await card.locator('xpath=ancestor::section').getAttribute('aria-label')) ?? '', /^Tested/)
    await card.focus()
    await page.keyboard.press('m')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Passed the hardening campaign')
    await page.keyboard.press('Enter')

    await page.getByText('Invoice helper is Trusted now, revision 6').waitFor()
    const trusted = page
      .getByRole('region', { name: /^Trusted/ })
      .locator(`[data-card="${world.agents['invoices']}"]`)
    await trusted.waitFor()
    assert.equal(await trusted.evaluate((element) => element === document.activeElement), true)
    await visitor.check()

    const token = await world.tokenOf('administrator')
    const revisions = await fetch(
      `${world.url}/v1/agent-configurations/${world.agents['invoices']}/revisions?limit=1`,
      { headers: { authorization: `Bearer ${token}` } },
    )
    const { results } = (await revisions.json()) as { results: { reason: string }[] }
    assert.equal(results[0]?.reason, 'Passed the hardening campaign')
  })

  it('puts the card back if the move fails', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/lifecycle')
    const id = world.agents['reviewer'] ?? Object.values(world.agents)[1]
    const card = page.locator(`[data-card="${id}"]`)
    await card.waitFor()
    const before = await card.locator('xpath=ancestor::section/header//h2').textContent()
    await page.route('**/lifecycle', (route, request) =>
      request.method() === 'PUT'
        ? route.fulfill({ status: 403, json: { code: 'permission_missing', detail: 'No.' } })
        : route.continue(),
    )
    await card.focus()
    await page.keyboard.press('m')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByText(/is back in its column/).waitFor()
    assert.equal(await card.locator('xpath=ancestor::section/header//h2').textContent(), before)
    await visitor.check()
  })

  it('says to a viewer which permission is missing', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/lifecycle', 'viewer')
    await page.locator('[data-card]').first().focus()
    await page.keyboard.press('m')
    await page.locator('.toast', { hasText: 'agent:lifecycle' }).waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)
    await visitor.check()
  })
})
