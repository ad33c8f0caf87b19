import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { open, useBrowser, visit } from '../support/browser.ts'
import { agentRows } from '../support/lists.ts'
import { refuseRenewals } from '../support/renewals.ts'
import { useWorld } from '../support/world.ts'

describe('when something fails', async () => {
  const world = await useWorld()
  const browser = await useBrowser()
  const agentPath = `/agents/${world.agents['invoices']}`
  const apiPath = `/v1/agent-configurations/${world.agents['invoices']}`
  const heading = { level: 1, name: 'Invoice helper' } as const

  it('renews the token before it expires, without leaving the page', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await page.clock.install()
    await open(visitor, world, agentPath)
    await page.getByRole('heading', heading).waitFor()
    const renewed = page.waitForResponse((response) => response.url().endsWith('/token'))
    await page.clock.fastForward('11:00')
    assert.equal((await renewed).status(), 200)
    const [listed] = await Promise.all([
      page.waitForResponse((response) => response.url().includes('/v1/agent-configurations?')),
      page.getByRole('link', { name: 'Fleet' }).first().click(),
    ])
    assert.equal(listed.status(), 200)
  })

  it('keeps the page when the sign-in has ended, and offers a new one', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await page.clock.install()
    await open(visitor, world, agentPath)
    await page.getByRole('heading', heading).waitFor()
    await refuseRenewals(page)
    await page.clock.fastForward('11:00')
    await page.getByRole('link', { name: 'Lifecycle' }).first().click()
    await page.getByText('Your sign-in has ended', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Sign in again' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    assert.match(page.url(), /\/console\/lifecycle/)
  })

  it('says that the sign-in service does not answer', async () => {
    const visitor = await visit(browser)
    await world.running.issuer.stop()
    try {
      await open(visitor, world, '/agents')
      await visitor.page.getByRole('heading', { name: 'The sign-in service does not answer' }).waitFor()
      await visitor.check()
    } finally {
      await world.running.issuer.resume()
    }
    await visitor.page.getByRole('button', { name: 'Try again' }).click()
    // The sign-in service may remember the person.
    await visitor.page.locator('button[value="administrator"]').or(agentRows(visitor.page)).first().waitFor()
  })

  it('shows what failed with the id of the request, and tries again', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    const problem = { detail: 'The database did not answer in time.', code: 'database_unavailable' }
    await page.route(`**${apiPath}?*`, (route) =>
      route.fulfill({
        status: 503,
        json: problem,
        headers: { 'x-request-id': '9e44f0aa', 'retry-after': '0' },
      }),
    )
    await open(visitor, world, agentPath)
    await page.getByRole('heading', { name: 'The agent could not be loaded' }).waitFor()
    await page.getByText('503 database_unavailable · req 9e44f0aa').waitFor()
    await visitor.check()
    await page.unroute(`**${apiPath}?*`)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', heading).waitFor()
  })

  it('takes an interrupted stream up again, with the changes since then', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, agentPath)
    await page.getByText('Live', { exact: true }).waitFor()
    const token = await world.tokenOf('administrator')
    const rename = (name: string) =>
      world.running.request('PUT', apiPath, { token, json: { agent_name: name } })
    // The position in the stream is known from the first event on.
    await rename('Invoice helper, first')
    await page.getByRole('heading', { level: 1, name: 'Invoice helper, first' }).waitFor()
    await page.route('**/events', (route) => route.abort())
    world.running.app.server.closeAllConnections()
    await page.getByText('Not live').waitFor()
    await rename('Invoice helper')
    await page.unroute('**/events')
    await page.getByText('Live', { exact: true }).waitFor({ timeout: 60_000 })
    await page.getByRole('heading', { ...heading, exact: true }).waitFor()
  })

  it('asks to reload when the server has a newer console', async () => {
    const visitor = await visit(browser)
    const { page } = visitor
    await open(visitor, world, '/agents')
    await page.getByText('Live', { exact: true }).waitFor()
    const newer = '<script type="module" src="/console/assets/index-Newer123.js"></script>'
    await page.route('**/console/', (route) => route.fulfill({ contentType: 'text/html', body: newer }))
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await page.getByText('A new version of the console is there').waitFor()
    await visitor.check()
  })
})
