import type { Locator, Page } from 'playwright-core'

export const agentTable = (page: Page): Locator => page.getByRole('table', { name: 'Agents' })

/** Without the row of the headers. */
export const agentRows = (page: Page): Locator => agentTable(page).locator('tbody').getByRole('row')

/** The element around the table, which scrolls. */
export const agentScroller = (page: Page): Locator => agentTable(page).locator('..')

/** On a phone. */
export const agentCards = (page: Page): Locator =>
  page.getByRole('list', { name: 'Agents' }).getByRole('link')
