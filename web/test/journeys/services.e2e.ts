import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { open, useBrowser, visit } from '../support/browser.ts'
import { useWorldWithServices } from '../support/services.ts'

describe('the services page', async () => {
  const world = await useWorldWithServices()
  const browser = await useBrowser()

  it('says which service is down, what still works, and that it is up again', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/services')
    await page.getByText('5 mounted · all well').waitFor()

    await world.services.protection.stop()
    const banner = page.getByText(/^protection: its document cannot be fetched since \d\d:\d\d$/)
    await banner.waitFor({ timeout: 60_000 })
    assert.match(
      (await page.getByRole('main').getByRole('status').filter({ has: banner }).textContent()) ?? '',
      /Calls are still sent to it; document .+ stays in use\./,
    )
    const row = page.getByRole('row').filter({ hasText: 'protection' })
    await row.getByText('Document unreachable').waitFor()
    await row.getByRole('button').press('Enter')
    const headings = page.getByRole('table').getByRole('heading', { level: 3 })
    assert.equal(await headings.first().textContent(), 'Why it is not up')
    await page.getByText('5 mounted · 1 needs attention').waitFor()
    await visitor.check()

    await world.services.protection.resume()
    await page.getByText('5 mounted · all well').waitFor({ timeout: 60_000 })
    assert.equal(await page.getByRole('main').getByRole('status').filter({ hasText: /./ }).count(), 0)
    await visitor.check()
  })

  it('shows when the document of a service changed, and leads to its operations in the reference', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/services')
    await page.getByRole('columnheader', { name: 'Document changed' }).waitFor()
    await page.getByRole('button', { name: /^teams/ }).press('Enter')
    const link = page.getByRole('link', { name: 'Open the reference' })
    assert.equal(await link.getAttribute('href'), '/docs#tag/teams')
    await visitor.check()
  })
})
