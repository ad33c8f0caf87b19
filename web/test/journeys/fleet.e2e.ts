import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { open, useBrowser, visit } from '../support/browser.ts'
import { growFleet } from '../support/large-fleet.ts'
import { agentCards, agentRows, agentScroller, agentTable } from '../support/lists.ts'
import { useWorld } from '../support/world.ts'

describe('the fleet page', async () => {
  const world = await useWorld()
  const browser = await useBrowser()
  await growFleet(world, 900)

  it('keeps filters, rows and place when an agent was opened and left with Back', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/agents')
    await page
      .getByRole('group', { name: 'Status' })
      .getByRole('checkbox', { name: /^Active/ })
      .check()
    await page.waitForURL(/statuses=active/)
    await page.getByText(/\d of \d+ agents/).waitFor()
    const scroller = agentScroller(page)
    // The second page is loaded on the way.
    await scroller.evaluate((element) => element.scrollTo(0, 180 * 36))
    await page.waitForFunction(
      (element) => (element?.scrollHeight ?? 0) > 300 * 36,
      await scroller.elementHandle(),
    )
    const row = agentTable(page).locator('[aria-rowindex="190"]')
    const id = await row.getAttribute('data-id')
    const before = await scroller.evaluate(({ scrollTop }) => scrollTop)
    await row.getByRole('link').click()
    await page.waitForURL(new RegExp(`/agents/${id}$`))
    await page.goBack()
    await page.locator(`tr[data-id="${id}"]`).waitFor()
    assert.equal(await scroller.evaluate(({ scrollTop }) => scrollTop), before)
    assert.match(page.url(), /statuses=active/)
    await visitor.check()
  })

  it('is used with the keyboard alone: search, walk, select a range, clear, open', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/agents')
    await agentRows(page).first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('payroll-dispatcher')
    await page.waitForURL(/q=payroll-dispatcher/)
    await agentRows(page).first().getByText('payroll-dispatcher').waitFor()
    await page.waitForFunction(
      (table) =>
        [...(table?.querySelectorAll('a') ?? [])].every((link) => link.textContent?.includes('payroll')),
      await agentTable(page).elementHandle(),
    )
    await page.keyboard.press('Tab')
    await page.keyboard.press('j')
    await focusOnRow(page, 0)
    await page.keyboard.press('x')
    for (const index of [1, 2]) {
      await page.keyboard.press('j')
      await focusOnRow(page, index)
    }
    await page.keyboard.press('Shift+X')
    await page.getByText('3 selected').waitFor()
    await visitor.check()
    await page.keyboard.press('Escape')
    await page.getByText('3 selected').waitFor({ state: 'detached' })
    await page.keyboard.press('k')
    await focusOnRow(page, 1)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/agents\/[0-9a-f-]{36}$/)
  })

  it('keeps the focus on its agent when that is scrolled out of view, and its rows in reading order', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/agents')
    await agentRows(page).first().waitFor()
    await page.keyboard.press('j')
    await focusOnRow(page, 0)
    await page.keyboard.press('x')
    const id = await page.evaluate(() => document.activeElement?.closest('tr')?.dataset['id'])
    const scroller = agentScroller(page)
    for (let step = 1; step <= 20; step += 1) {
      await scroller.evaluate((element, top) => element.scrollTo(0, top), step * 130)
      await agentTable(page)
        .locator(`[aria-rowindex="${Math.floor((step * 130) / 36) + 3}"]`)
        .waitFor({ state: 'attached' })
    }
    await page.waitForFunction(
      (table) => {
        const indexes = [...(table?.querySelectorAll('tbody tr') ?? [])].map((row) =>
          Number(row.getAttribute('aria-rowindex')),
        )
        return indexes.every((index, at) => at === 0 || index > (indexes[at - 1] ?? 0))
      },
      await agentTable(page).elementHandle(),
    )
    await focusOnRow(page, 0)
    assert.equal(await page.evaluate(() => document.activeElement?.closest('tr')?.dataset['id']), id)
    // The row of the focus is the only one that is selected, and no other element took its state over.
    const selected = agentRows(page).filter({ has: page.getByRole('checkbox', { checked: true }) })
    assert.equal(await selected.count(), 1)
    assert.equal(await selected.getAttribute('data-id'), id)
    await page.keyboard.press('j')
    await focusOnRow(page, 1)
    assert.ok((await scroller.evaluate(({ scrollTop }) => scrollTop)) <= 36)
    await visitor.check()
  })

  it('filters by typing, saves the view, and finds it in the navigation', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/agents')
    await agentRows(page).first().waitFor()
    await page.keyboard.press('f')
    await page.getByRole('combobox', { name: 'Find a filter' }).fill('unprot')
    await page.keyboard.press('Enter')
    await page.waitForURL(/protection_statuses=unprotected/)
    await visitor.check()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Without a guard')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Without a guard' }).waitFor()
    await page.getByRole('button', { name: 'Actions of the view Without a guard' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Unguarded')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Fleet', exact: false }).first().click()
    await page.getByRole('link', { name: 'Unguarded' }).click()
    await page.waitForURL(/protection_statuses=unprotected/)
    const chosen = page.getByRole('navigation', { name: 'Console', exact: true }).locator('li [aria-current]')
    assert.deepEqual(await chosen.allTextContents(), ['Unguarded'])
    // Below 1024 px the palette has it.
    await page.setViewportSize({ width: 900, height: 900 })
    await page.getByRole('button', { name: 'Search or jump to' }).click()
    await page
      .getByRole('group', { name: 'Saved views' })
      .getByRole('option', { name: 'Unguarded' })
      .waitFor()
    await visitor.check()
    await page.keyboard.type('ungu')
    await page.keyboard.press('Enter')
    await page.waitForURL(/protection_statuses=unprotected/)
    // On a phone the page "You" has it.
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('link', { name: 'Lifecycle' }).click()
    await page.getByRole('button', { name: 'You' }).click()
    const you = page.getByRole('dialog', { name: 'You' })
    await you.getByRole('link', { name: 'Unguarded' }).waitFor()
    await visitor.check()
    await you.getByRole('link', { name: 'Unguarded' }).click()
    await page.waitForURL(/agents\?protection_statuses=unprotected/)
    await you.waitFor({ state: 'detached' })
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('button', { name: 'Actions of the view Unguarded' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('link', { name: 'Unguarded' }).waitFor({ state: 'detached' })
    await visitor.check()
  })

  it('shows the change of another user on its row, and offers new agents without moving rows', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/agents')
    await page.getByText('Live').first().waitFor()
    const first = agentRows(page).first()
    const id = (await first.getAttribute('data-id')) ?? ''
    const token = await world.tokenOf('administrator')
    const send = (method: string, path: string, json: object) =>
      world.running.request(method, `/v1/agent-configurations${path}`, { token, json })
    await send('PUT', `/${id}`, { agent_name: 'Renamed by another user' })
    await first.getByRole('link', { name: 'Renamed by another user' }).waitFor()
    await send('POST', '', { agent_name: 'Brand new', model_name: 'gpt-5.4' })
    await page.getByRole('button', { name: '1 new agent' }).waitFor()
    assert.equal(await first.getAttribute('data-id'), id)
    await page.getByRole('button', { name: '1 new agent' }).click()
    await first.getByRole('link', { name: 'Brand new' }).waitFor()
    await visitor.check()
  })

  it('lists cards on a phone, with the filters in a drawer', async () => {
    const visitor = await visit(browser, { width: 390, height: 844, theme: 'dark' })
    const { page } = visitor
    await open(visitor, world, '/agents?statuses=draft')
    await agentCards(page).first().waitFor()
    await visitor.check()
    await page.getByRole('button', { name: '1 filter' }).click()
    await page.getByRole('checkbox', { name: /^Trusted/ }).check()
    await page.waitForURL(/trust_stages=trusted/)
    await visitor.check()
    await page.getByRole('button', { name: /^Show \d+ agents?$/ }).click()
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
    assert.equal(wide, false, 'the page scrolls sideways')
    await agentCards(page).first().click()
    await page.waitForURL(/\/agents\/[0-9a-f-]{36}$/)
  })
})

async function focusOnRow(page: Page, index: number): Promise<void> {
  await page.waitForFunction(
    (wanted) => document.activeElement?.closest('tr')?.getAttribute('aria-rowindex') === String(wanted + 2),
    index,
  )
}
