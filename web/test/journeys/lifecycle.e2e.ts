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

    await page.getByText('Invoice helper moved to Trusted, revision 6').waitFor()
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

  it('names what the cards are ordered by, as the fleet does', async () => {
    for (const path of ['/lifecycle', '/agents']) {
      const visitor = await visit(browser)
      const { page } = visitor
      await open(visitor, world, path)
      await page.getByRole('button', { name: 'Order: Created, newest first' }).click()
      await page.getByRole('menuitemradio', { name: 'Name, A to Z' }).click()
      await page.waitForURL(/sort=agent_name/)
      await page.getByRole('button', { name: 'Order: Name, A to Z' }).waitFor()
      await visitor.check()
    }
  })

  it('empties the search with the other filters', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/lifecycle?protection_statuses=unprotected')
    const field = page.getByLabel('Search agents by name')
    await field.fill('No agent is called so')
    await page.getByText('No agent matches').waitFor()
    await visitor.check()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await page.locator('[data-card]').first().waitFor()
    assert.equal(await field.inputValue(), '')
    assert.match(page.url(), /\/lifecycle$/)
  })

  it('moves a card by mouse', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/lifecycle')
    const card = page.locator('article', { has: page.locator(`[data-card="${world.agents['travel']}"]`) })
    const target = page.getByRole('region', { name: /^Optimized/ })
    await card.waitFor()
    await target.locator('[data-card]').first().waitFor()
    const from = await card.boundingBox()
    const to = await target.boundingBox()
    assert.ok(from && to)
    await page.mouse.move(from.x + from.width / 2, from.y + from.height - 6)
    await page.mouse.down()
    await page.mouse.move(to.x + to.width / 2, to.y + 300, { steps: 12 })
    await page.getByText(/^Drop to move .+ to Optimized$/).waitFor()
    await page.mouse.up()
    await page.getByRole('dialog').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: /^Move/ }).click()
    await target.locator(`[data-card="${world.agents['travel']}"]`).waitFor()
    assert.equal(await page.getByText(/^Drop to move/).count(), 0)
    assert.equal(await page.locator('[data-dragged]').count(), 0)
    await visitor.check()
  })

  it('takes a move back', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/lifecycle')
    const card = `[data-card="${world.agents['travel']}"]`
    await page.locator(card).focus()
    await page.keyboard.press('m')
    await page.getByRole('radio', { name: 'Adapted' }).check()
    await page.getByRole('button', { name: 'Move to Adapted' }).click()
    await page
      .getByRole('region', { name: /^Adapted/ })
      .locator(card)
      .waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Travel planner moved back to Optimized, revision').waitFor()
    await page
      .getByRole('region', { name: /^Optimized/ })
      .locator(card)
      .waitFor()
    await visitor.check()
  })

  it('offers to move the chosen card in the palette, and says if none is chosen', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/lifecycle')
    const card = page.locator(`[data-card="${world.agents['travel']}"]`)
    await card.waitFor()
    await page.keyboard.press('Control+k')
    const off = page.getByRole('option', { name: /Move the card/ })
    await off.waitFor()
    assert.equal(await off.getAttribute('aria-disabled'), 'true')
    assert.match((await off.textContent()) ?? '', /Choose a card first/)
    assert.equal(await page.getByRole('option', { name: 'New agent' }).getAttribute('aria-selected'), 'true')
    await visitor.check()
    await page.keyboard.press('Escape')
    await card.focus()
    await page.keyboard.press('Control+k')
    await page.getByRole('option', { name: 'Move Travel planner…' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Move Travel planner to' }).waitFor()
    await page.getByText('Choose another stage first').waitFor()
    await visitor.check()
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
    await page.getByRole('dialog').waitFor()
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
    await page.getByRole('status').getByText('agent:lifecycle').waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)
    await visitor.check()
  })
})
