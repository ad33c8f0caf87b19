import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { open, useBrowser, visit } from '../support/browser.ts'
import { useWorld } from '../support/world.ts'

describe('the command palette', async () => {
  const world = await useWorld()
  const browser = await useBrowser()

  it('opens an agent by its name, by keyboard alone', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/audit')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or jump to' }).waitFor()
    await page.keyboard.type('invoice')
    await page.getByRole('option', { name: /Invoice helper/ }).waitFor()
    await visitor.check()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Invoice helper' }).waitFor()
    assert.equal(await page.getByRole('combobox').count(), 0)
  })

  it('shows no keys on a phone, and a button that closes it', async () => {
    const visitor = await visit(browser, { width: 390, height: 844 })
    const { page } = visitor
    await open(visitor, world, '/agents')
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Search or jump to' })
    await palette.getByRole('option', { name: 'Lifecycle' }).waitFor()
    assert.equal(await palette.locator('kbd').filter({ visible: true }).count(), 0)
    assert.equal(await palette.getByRole('option', { name: 'Show all keys' }).count(), 0)
    await visitor.check()
    await palette.getByRole('button', { name: 'Close' }).click()
    await palette.waitFor({ state: 'detached' })
  })

  it('goes to a page, and gives the focus back when it closes', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/audit')
    const search = page.getByRole('button', { name: 'Search or jump to' })
    await search.press('Enter')
    await page.getByRole('combobox').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('combobox').waitFor({ state: 'detached' })
    assert.equal(await search.evaluate((element) => element === document.activeElement), true)
    await search.press('Enter')
    await page.getByRole('combobox').fill('lifecycle')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Lifecycle' }).waitFor()
  })

  it('shows actions of the page with the permission that is missing', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, `/agents/${world.agents['invoices']}`, 'viewer')
    await page.getByRole('heading', { level: 1, name: 'Invoice helper' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('move')
    const option = page.getByRole('option', { name: /Move stage/ })
    await option.waitFor()
    assert.equal(await option.getAttribute('aria-disabled'), 'true')
    assert.match((await option.textContent()) ?? '', /agent:lifecycle/)
    await visitor.check()
  })
})
