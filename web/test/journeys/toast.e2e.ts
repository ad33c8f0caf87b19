import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { open, useBrowser, type Visitor, visit } from '../support/browser.ts'
import { useWorld } from '../support/world.ts'

describe('a message at the edge of the window', async () => {
  const world = await useWorld()
  const browser = await useBrowser()
  const path = `/agents/${world.agents['invoices']}/configuration`

  /** Discards an edit: the message offers to undo it. */
  async function discard(): Promise<{ visitor: Visitor; page: Page; undo: Locator; purpose: Locator }> {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, path)
    const purpose = page.getByLabel('Purpose')
    await purpose.waitFor()
    await page.clock.install()
    await purpose.fill('Edited and discarded')
    await page.getByRole('button', { name: 'Discard changes' }).click()
    const undo = page.getByRole('button', { name: 'Undo' })
    await undo.waitFor()
    return { visitor, page, undo, purpose }
  }

  async function reachByTab(page: Page, target: Locator): Promise<void> {
    for (let presses = 0; presses < 30; presses++) {
      if (await target.evaluate((element) => element === document.activeElement)) return
      await page.keyboard.press('Tab')
    }
    assert.fail('Tab does not reach it')
  }

  it('does its action by mouse over an open dialog', async () => {
    const { visitor, page, undo, purpose } = await discard()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    // It stays while the pointer is on it.
    await undo.hover()
    await visitor.check()
    await undo.click()
    await undo.waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('dialog', { name: 'Keys' }).count(), 1)
    assert.equal(await purpose.inputValue(), 'Edited and discarded')
  })

  it('does its action by keyboard over an open dialog', async () => {
    const { page, undo, purpose } = await discard()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await reachByTab(page, undo)
    await page.keyboard.press('Enter')
    await undo.waitFor({ state: 'detached' })
    assert.equal(await purpose.inputValue(), 'Edited and discarded')
  })

  it('does its action by mouse over the command palette', async () => {
    const { visitor, page, undo, purpose } = await discard()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or jump to' }).waitFor()
    // It stays while the pointer is on it.
    await undo.hover()
    await visitor.check()
    await undo.click()
    await undo.waitFor({ state: 'detached' })
    assert.equal(await page.getByRole('combobox', { name: 'Search or jump to' }).count(), 1)
    assert.equal(await purpose.inputValue(), 'Edited and discarded')
  })

  it('does its action by keyboard over the command palette', async () => {
    const { page, undo, purpose } = await discard()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or jump to' }).waitFor()
    await reachByTab(page, undo)
    await page.keyboard.press('Enter')
    await undo.waitFor({ state: 'detached' })
    assert.equal(await purpose.inputValue(), 'Edited and discarded')
    // The focus goes back to what was focused before.
    const close = page.getByRole('dialog').getByRole('button', { name: 'Close' })
    assert.equal(await close.evaluate((element) => element === document.activeElement), true)
  })

  it('stays while the pointer or the focus is on it', async () => {
    const { page, undo } = await discard()
    const anHour = 3_600_000
    await undo.hover()
    await page.clock.fastForward(anHour)
    assert.equal(await undo.count(), 1)
    await undo.focus()
    await page.mouse.move(0, 0)
    await page.clock.fastForward(anHour)
    assert.equal(await undo.count(), 1)
    await page.getByLabel('Purpose').focus()
    await page.clock.fastForward(anHour)
    await undo.waitFor({ state: 'detached' })
  })

  it('about a fault of a dialog is closed without closing the dialog', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await page.route('**/v1/views**', (route) =>
      route.request().method() === 'GET' ? route.fallback() : route.abort(),
    )
    await open(visitor, world, '/agents?status=active')
    await page.getByRole('button', { name: 'Save view' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save this view' })
    await dialog.getByLabel('Name', { exact: true }).fill('Active')
    const close = page.getByRole('button', { name: 'Close the message' })
    await page.keyboard.press('Enter')
    await close.click()
    await close.waitFor({ state: 'detached' })
    await page.getByLabel('Name', { exact: true }).press('Enter')
    await close.waitFor()
    await reachByTab(page, close)
    await page.keyboard.press('Enter')
    await close.waitFor({ state: 'detached' })
    assert.equal(await dialog.count(), 1)
  })
})
